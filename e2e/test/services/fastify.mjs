/** A service of Fastify that knows nothing of hdrscope. It ends when somebody asks for /quit. */
import { metrics } from '@opentelemetry/api';
import Fastify from 'fastify';

const meter = metrics.getMeter('shop');
const orders = meter.createCounter('orders');
const basket = meter.createHistogram('basket', { unit: '{item}' });

const app = Fastify({ forceCloseConnections: true });
app.get('/items/:id', async ({ params }) => {
  orders.add(1);
  basket.record(Number(params.id));
  return `item ${params.id}`;
});
app.get('/quit', async () => {
  setTimeout(() => app.close(), 10);
  return 'bye';
});
app
  .listen({ port: 0, host: '127.0.0.1' })
  .then(() => console.log(`listening on ${app.server.address().port}`));
