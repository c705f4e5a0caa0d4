/** A service of node:http alone, without a framework. It ends when somebody asks for /quit. */
import { createServer } from 'node:http';

const server = createServer(({ url }, response) => {
  if (url.startsWith('/missing')) response.statusCode = 404;
  response.end('done');
  if (url === '/quit') server.close();
});
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
