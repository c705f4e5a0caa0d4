/** A service of hapi that knows nothing of hdrscope. It ends when somebody asks for /quit. */
import Hapi from '@hapi/hapi';

const server = Hapi.server({ port: 0, host: '127.0.0.1' });
server.route({ method: 'GET', path: '/items/{id}', handler: ({ params }) => `item ${params.id}` });
server.route({
  method: 'GET',
  path: '/quit',
  handler: () => {
    setTimeout(() => server.stop(), 10);
    return 'bye';
  },
});
server.start().then(() => console.log(`listening on ${server.info.port}`));
