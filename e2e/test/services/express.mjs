/** A service of Express, as an ES module, that knows nothing of hdrscope. It ends when somebody asks for /quit. */
import { metrics } from '@opentelemetry/api';
import express from 'express';

const meter = metrics.getMeter('shop');
const orders = meter.createCounter('orders');
const basket = meter.createHistogram('basket', { unit: '{item}' });

const app = express();
app.get('/items/:id', (request, response) => {
  orders.add(1);
  basket.record(Number(request.params.id));
  response.send(`item ${request.params.id}`);
});
app.get('/quit', (_, response) => {
  response.send('bye');
  server.close();
});
const server = app.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
