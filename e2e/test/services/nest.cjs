/**
 * A service of NestJS, as the compiler of TypeScript would write it, that knows nothing of hdrscope. It runs on Express, or with the argument
 * `fastify` on Fastify, and ends when somebody asks for /quit.
 */
require('reflect-metadata');
const { Controller, Get, Module, Param } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { metrics } = require('@opentelemetry/api');

class Items {
  constructor() {
    const meter = metrics.getMeter('shop');
    this.orders = meter.createCounter('orders');
    this.basket = meter.createHistogram('basket', { unit: '{item}' });
  }

  item(id) {
    this.orders.add(1);
    this.basket.record(Number(id));
    return `item ${id}`;
  }

  quit() {
    setTimeout(() => app.close(), 10);
    return 'bye';
  }
}

for (const [method, path] of [
  ['item', 'items/:id'],
  ['quit', 'quit'],
]) {
  Get(path)(Items.prototype, method, Object.getOwnPropertyDescriptor(Items.prototype, method));
}
Param('id')(Items.prototype, 'item', 0);
Controller()(Items);

class Shop {}
Module({ controllers: [Items] })(Shop);

let app;
main();

async function main() {
  const options = { logger: false, forceCloseConnections: true };
  app = await (process.argv[2] === 'fastify'
    ? NestFactory.create(Shop, new (require('@nestjs/platform-fastify').FastifyAdapter)(options), options)
    : NestFactory.create(Shop, options));
  await app.listen(0, '127.0.0.1');
  console.log(`listening on ${app.getHttpServer().address().port}`);
}
