/** A service of node:http that asks another one for each item: with fetch and with undici. It ends when somebody asks for /quit. */
import { createServer } from 'node:http';
import { request as ask } from 'undici';

const other = createServer((_, response) => response.end('done')).listen(0, '127.0.0.1');
const server = createServer(async ({ url }, response) => {
  const target = `http://127.0.0.1:${other.address().port}${url}`;
  await (await fetch(target)).text();
  await (await ask(target)).body.text();
  response.end('done');
  if (url !== '/quit') return;
  server.close();
  other.close();
  other.closeAllConnections();
});
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
