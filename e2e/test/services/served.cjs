/** A service that a process manager runs several times: it counts each request. */
const { createServer } = require('node:http');
const { count } = require('./basket.cjs');

const server = createServer((request, response) => {
  count(Number(request.url.slice(1)));
  response.end('ok');
}).listen(Number(process.env.SERVICE_PORT), '127.0.0.1', () => process.send?.('ready'));
process.on('SIGINT', () => server.close(() => process.exit(0)));
