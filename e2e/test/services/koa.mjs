/** A service of Koa that knows nothing of hdrscope. It ends when somebody asks for /quit. */
import Router from '@koa/router';
import Koa from 'koa';

const router = new Router();
router.get('/items/:id', (context) => {
  context.body = `item ${context.params.id}`;
});
router.get('/quit', (context) => {
  context.body = 'bye';
  server.close();
});
const server = new Koa()
  .use(router.routes())
  .listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
