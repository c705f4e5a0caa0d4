/** A service of gRPC, and a service of node:http that calls it for each item. It ends when somebody asks for /quit. */
import { createServer } from 'node:http';
import { credentials, loadPackageDefinition, Server, ServerCredentials, status } from '@grpc/grpc-js';

// What a compiler of protobuf would write, with texts as messages.
const text = { serialize: (value) => Buffer.from(value), deserialize: String };
const method = {
  path: '/shop.Shop/GetItem',
  requestStream: false,
  responseStream: false,
  requestSerialize: text.serialize,
  requestDeserialize: text.deserialize,
  responseSerialize: text.serialize,
  responseDeserialize: text.deserialize,
};
const { Shop } = loadPackageDefinition({ Shop: { GetItem: method } });

const grpc = new Server();
grpc.addService(Shop.service, {
  GetItem: ({ request }, answer) =>
    request === 'quit'
      ? answer({ code: status.NOT_FOUND, details: 'no item' })
      : answer(null, `item ${request}`),
});
grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_, port) => {
  const shop = new Shop(`127.0.0.1:${port}`, credentials.createInsecure());
  const server = createServer(({ url }, response) => {
    const [id] = url.split('/').slice(-1);
    shop.GetItem(id, (_, item = 'no item') => {
      response.end(item);
      if (id !== 'quit') return;
      server.close();
      shop.close();
      grpc.forceShutdown();
    });
  });
  server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
});
