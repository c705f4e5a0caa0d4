import { type Program, SERVE } from './programs.ts';

/** Services of several files. */
export const LINKED_PROGRAMS: readonly Program[] = [
  {
    title: 'a module of metrics whose page is elsewhere, and middleware that uses it',
    ending: 'mjs',
    needsFramework: true,
    moved: 2,
    timed: ['request_seconds'],
    others: {
      'lib/metrics.mjs': `import client from 'prom-client';

// The metrics of the process.
client.collectDefaultMetrics();
export const requests = new client.Counter({ name: 'requests_total', help: 'Requests', labelNames: ['route'] });
export const duration = new client.Histogram({
  name: 'request_seconds',
  help: 'Requests',
  labelNames: ['method', 'status'],
  buckets: [50],
});
const size = new client.Histogram({ name: 'answer_bytes', help: 'Sizes', buckets: [1, 10] });
export { size as answerSize };
`,
      'lib/middleware.mjs': `import { answerSize, duration as latency, requests } from './metrics.mjs';
import * as metrics from './metrics.mjs';
export function measure(req, res, next) {
  const end = latency.startTimer({ method: req.method });
  res.on('finish', () => {
    if (req.path === '/metrics') return;
    end({ status: res.statusCode });
    metrics.duration.observe({ method: 'twice' }, 0.5);
    answerSize.observe(5);
  });
  requests.inc({ route: 'all' });
  next();
}
`,
    },
    text: `import express from 'express';
import client from 'prom-client';
import { measure } from './lib/middleware.mjs';
const registry = express();
registry.use(measure);
registry.get('/buy', (req, res) => res.send('sold'));
registry.get('/metrics', async (req, res) => {
  res.set('Content-Type', client.register.contentType);
  res.end(await client.register.metrics());
});
const server = registry.listen(0, '127.0.0.1', () => console.log(server.address().port));
`,
  },
  {
    title: 'CommonJS modules with a register of their own, loaded in four ways',
    ending: 'cjs',
    moved: 2,
    others: {
      'metrics.cjs': `'use strict';
const client = require('prom-client');
const collectDefaultMetrics = client.collectDefaultMetrics;
const register = new client.Registry();
collectDefaultMetrics({ register });
const duration = new client.Histogram({
  name: 'duration_seconds', help: 'D', labelNames: ['a'], registers: [register],
});
module.exports = { register, duration, again: duration };
`,
      'wait.cjs': `const { Histogram } = require('prom-client');
const { register } = require('./metrics.cjs');
const wait = new Histogram({ name: 'wait_ms', help: 'W' });
register.registerMetric(wait);
module.exports = wait;
`,
      'use.cjs': `const all = require('./metrics.cjs');
const { again: other } = all;
const one = require('./metrics.cjs').duration;
const wait = require('./wait.cjs');
exports.use = () => {
  all.duration.labels('whole').observe(0.1);
  other.observe({ a: 'other' }, 0.2);
  one.observe({ a: 'one' }, 0.3);
  wait.observe(4);
};
`,
    },
    text: `const http = require('http');
const { register } = require('./metrics.cjs');
const { use } = require('./use.cjs');
const server = http.createServer(async (req, res) => {
  if (req.url === '/metrics') {
    res.setHeader('Content-Type', register.contentType);
    res.end(await register.metrics());
    return;
  }
  use();
  res.end('ok');
});
${SERVE}
`,
  },
  {
    title: 'TypeScript modules with a barrel, a register as the default export, and a handler elsewhere',
    ending: 'ts',
    moved: 1,
    others: {
      'metrics/register.ts': `import { Registry } from 'prom-client';

const register = new Registry();
export default register;
`,
      'metrics/latency.ts': `import { Counter, Histogram } from 'prom-client';
import register from './register.ts';

export const latency = new Histogram({
  name: 'latency_seconds',
  help: 'Latency',
  labelNames: ['route'] as const,
  buckets: [0.5, 1],
  registers: [register],
});
export const calls = new Counter({ name: 'calls_total', help: 'Calls', registers: [register] });
`,
      'metrics/index.ts': `export * from './latency.ts';
export { default as register } from './register.ts';
`,
      'page.ts': `import type { IncomingMessage, ServerResponse } from 'node:http';
import { register } from './metrics/index.ts';

export async function servePage(_request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('Content-Type', register.contentType);
  response.end(await register.metrics());
}
`,
    },
    text: `import { createServer } from 'node:http';
import { calls, latency } from './metrics/index.ts';
import { servePage } from './page.ts';

const server = createServer(async (request, response): Promise<void> => {
  if (request.url === '/metrics') {
    await servePage(request, response);
    return;
  }
  calls.inc();
  latency.observe({ route: request.url ?? '' }, 0.75);
  response.end('ok');
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as { port: number }).port));
`,
  },
  {
    title: 'handlers and an application of Express that cross files',
    ending: 'mjs',
    needsFramework: true,
    moved: 1,
    others: {
      'page.mjs': `import client, { Histogram } from 'prom-client';
export const duration = new Histogram({ name: 'crossed_seconds', help: 'Crossed', labelNames: ['a'] });
async function servePage(req, res) {
  res.set('Content-Type', client.register.contentType);
  res.end(await client.register.metrics());
}
export const setUp = (app) => {
  app.get('/metrics', servePage);
};
`,
    },
    text: `import express from 'express';
import { duration, setUp } from './page.mjs';
const app = express();
setUp(app);
app.get('/buy', (req, res) => {
  duration.observe({ a: 'b' }, 2);
  res.send('sold');
});
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
`,
  },
  {
    title: 'Fastify with a plugin in another file',
    ending: 'mjs',
    needsFramework: true,
    moved: 1,
    others: {
      'page.mjs': `import client from 'prom-client';

export default async function page(fastify, options) {
  fastify.get('/metrics', async (request, reply) => {
    reply.header('Content-Type', client.register.contentType);
    return client.register.metrics();
  });
}
`,
    },
    text: `import Fastify from 'fastify';
import client from 'prom-client';
import page from './page.mjs';

const app = Fastify();
const duration = new client.Histogram({ name: 'fast_seconds', help: 'Fast', labelNames: ['route'] });
app.register(page);
app.get('/buy', async (request) => {
  duration.observe({ route: request.url }, 0.2);
  return 'sold';
});
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(app.server.address().port);
`,
  },
];
