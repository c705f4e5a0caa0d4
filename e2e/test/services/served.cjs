/** A service that a process manager runs several times: it counts each request. */
const { createServer } = require('node:http');
const { metrics } = require('@opentelemetry/api');

const meter = metrics.getMeter('shop');
const sizes = meter.createHistogram('basket.size');
const orders = meter.createCounter('orders');
const server = createServer((request, response) => {
  sizes.record(Number(request.url.slice(1)));
  orders.add(1);
  response.end('ok');
}).listen(Number(process.env.SERVICE_PORT), '127.0.0.1', () => process.send?.('ready'));
process.on('SIGINT', () => server.close(() => process.exit(0)));
