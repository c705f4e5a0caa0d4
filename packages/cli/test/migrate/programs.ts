/** A real service before its migration. Each answers `/buy` and `/metrics`, and prints its port. */
export interface Program {
  readonly title: string;
  /** The ending of its file. */
  readonly ending: 'mjs' | 'cjs' | 'ts' | 'js';
  readonly text: string;
  /** Files that it loads, by their names. */
  readonly others?: Readonly<Record<string, string>>;
  /** Histograms whose values are times of a clock: their sums differ. */
  readonly timed?: readonly string[];
  /** Whether it needs Express or Fastify. */
  readonly needsFramework?: boolean;
  /** How many histograms move. */
  readonly moved: number;
}

/** How a service begins. */
export const SERVE: string = `server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

/** Services of one file. */
export const LONE_PROGRAMS: readonly Program[] = [
  {
    title: 'ES module, with default metrics, a counter and comments in odd places',
    ending: 'mjs',
    moved: 2,
    text: `// A shop.
import { createServer } from 'node:http';
import client from 'prom-client'; // the metrics

client.collectDefaultMetrics();
const requests = new client.Counter({ name: 'requests_total', help: 'Requests', labelNames: ['route'] });
/* how long */ const duration = /* here */ new client.Histogram(/* options */ {
  name: 'request_duration_seconds', // the name
  help: 'Time "until" the \\\\ answer', // for people
  // only few
  labelNames: ['route', 'status'],
  buckets: [0.005, 0.05, 0.5, 5], // seconds
});
const size = new client.Histogram({ name: 'answer_bytes', help: 'Size of answers', buckets: [10, 100, 1000] });
let seen = 0;
const server = createServer(async (request, response) => {
  if (request.url === '/metrics') {
    // The page.
    response.setHeader('content-type', client.register.contentType);
    response.end(await client.register.metrics());
    return;
  }
  requests.inc({ route: '/buy' });
  duration.observe({ route: '/buy', status: 200 + seen } /* labels */, [0.004, 0.05, 7][seen % 3]); // one
  duration.observe(0.3);
  size.observe(100 * ++seen);
  response.end('sold');
});
${SERVE}
`,
  },
  {
    title: 'CommonJS, destructured, without semicolons',
    ending: 'cjs',
    moved: 2,
    text: `'use strict'
const http = require("http")
const { Histogram, register } = require("prom-client")

const wait = new Histogram({ name: "wait_milliseconds", help: "Waits", labelNames: ["queue"], buckets: [1, 10, 100] })

const short = new Histogram({ name: "short_ms", help: "Short", buckets: [0.5, 2.5] })

const server = http.createServer((req, res) => {
  if (req.url === "/metrics") {
    res.writeHead(200, { "Content-Type": register.contentType })
    register.metrics().then((page) => res.end(page))
  } else {
    wait.labels("mail").observe(12)
    short.observe(2.25)
    wait.labels({ queue: "print" }).observe(0.5)
    res.end("ok")
  }
})
${SERVE.replace(';', '')}
`,
  },
  {
    title: 'a whole namespace, and a class under another name',
    ending: 'mjs',
    moved: 2,
    text: `import http from 'http';
import * as prom from 'prom-client';
import { Histogram as Distribution, linearBuckets } from 'prom-client';
const a = new prom.Histogram({ name: 'a_seconds', help: 'A', buckets: prom.exponentialBuckets(0.001, 4, 5) });
const b = new Distribution({ name: 'b_seconds', help: 'B', labelNames: ['x'], buckets: linearBuckets(0, 0.5, 4) });
async function page(req, res) {
  res.statusCode = 200;
  res.setHeader('Content-Type', prom.register.contentType);
  const text = await prom.register.metrics();
  res.end(text);
}
const server = http.createServer((req, res) => {
  if (req.url === '/metrics') return page(req, res);
  a.observe(0.25);
  for (const x of [undefined, 1, true, 'é "q"']) b.observe({ x }, 0.75);
  res.end('ok');
});
${SERVE}
`,
  },
  {
    title: 'timers, by labels and without',
    ending: 'mjs',
    moved: 2,
    timed: ['plain_seconds', 'timed_seconds'],
    text: `import { createServer } from 'node:http';
import client from 'prom-client';
const plain = new client.Histogram({ name: 'plain_seconds', help: 'Plain', buckets: [50] });
const timed = new client.Histogram({ name: 'timed_seconds', help: 'Timed', labelNames: ['method', 'path'], buckets: [50] });
const server = createServer(async (req, res) => {
  if (req.url === '/metrics') { res.end(await client.register.metrics()); return; }
  const stop = plain.startTimer();
  const end = timed.startTimer({ method: req.method });
  const other = timed.labels('GET', req.url).startTimer();
  const late = timed.startTimer();
  const both = timed.startTimer({ method: 'POST' });
  res.on('finish', timed.startTimer({ path: '/passed' }));
  {
    const end = () => 'another end';
    end({ x: 1 });
  }
  stop();
  if (!(end() >= 0)) throw new Error('no time');
  other();
  other();
  const path = req.url;
  late({ method: req.method, path });
  both({ method: 'PUT', path: 404 });
  res.end('ok');
});
${SERVE}
`,
  },
  {
    title: 'an own register, with metrics that are registered by hand',
    ending: 'mjs',
    moved: 2,
    text: `import { createServer } from 'node:http';
import client from 'prom-client';

const register = new client.Registry(); // ours
const duration = new client.Histogram({
  name: 'duration_seconds',
  help: 'Durations',
  labelNames: ['a'],
  registers: [register],
});
const other = new client.Histogram({ name: 'other_seconds', help: 'Others', labelNames: ['a'] });
register.registerMetric(other);
const counter = new client.Counter({ name: 'c_total', help: 'C', registers: [register] });
const server = createServer(async (req, res) => {
  if (req.url === '/metrics') {
    res.end(await register.metrics());
  } else {
    counter.inc();
    duration.observe({ a: 'b' }, 0.1);
    other.observe({ a: 'b' }, 0.2);
    res.end('ok');
  }
});
${SERVE}
`,
  },
  {
    title: 'names that others have, and shadowed ones',
    ending: 'mjs',
    moved: 1,
    text: `import { createServer } from 'node:http';
import client from 'prom-client';
const registry = new Map();
const metrics = ['a'];
const d = new client.Histogram({ name: 'd_seconds', help: 'D', labelNames: ['n'] });
function observe(d) {
  d.observe(1);
  return registry.size + metrics.length;
}
const server = createServer(async (req, res) => {
  if (req.url === '/metrics') {
    res.end(await client.register.metrics());
    return;
  }
  const n = observe({ observe: () => {} });
  d.observe({ n }, 0.1);
  [1, 2].forEach((d) => d + 1);
  [0.2, 0.3].forEach((v) => d.observe({ n }, v));
  n && d.observe({ n: \`x\${n}\` }, 0.5);
  res.end('ok');
});
${SERVE}
`,
  },
  {
    title: 'names of constants and templates',
    ending: 'mjs',
    moved: 1,
    text: `import { createServer } from 'node:http';
import client, { register } from 'prom-client';
const PREFIX = 'shop';
const HELP = 'Of the shop';
const BUCKETS = [0.1, 60 * 2];
const LABELS = ['kind'];
const fixed = new client.Histogram({ name: \`\${PREFIX}_fixed_seconds\`, help: HELP, buckets: BUCKETS, labelNames: LABELS });
const open = new client.Histogram({ name: \`\${process.env.P ?? 'p'}_open_seconds\`, help: 'Open' });
const server = createServer(async (req, res) => {
  if (req.url === '/metrics') {
    try {
      res.setHeader('Content-Type', register.contentType);
      res.end(await register.metrics());
    } catch (error) {
      console.error(error);
      res.statusCode = 500;
      res.end(String(error));
    }
    return;
  }
  fixed.labels('a').observe(0.1);
  open.observe(1);
  res.end('ok');
});
${SERVE}
`,
  },
  {
    title: 'removed and reset series',
    ending: 'cjs',
    moved: 2,
    text: `const { createServer } = require('node:http');
const client = require('prom-client');
const { Histogram } = client;
const gone = new Histogram({ name: 'gone_seconds', help: 'Gone', labelNames: ['id', 'kind'] });
const fresh = new client.Histogram({ name: 'fresh_bytes', help: 'Fresh', labelNames: ['id'], buckets: [1, 2] });
let round = 0;
const server = createServer(async (req, res) => {
  if (req.url === '/metrics') return res.end(await client.register.metrics());
  round++;
  gone.observe({ id: round, kind: 'a' }, 0.1);
  gone.remove({ id: round - 1, kind: 'a' });
  gone.remove(String(round - 2), 'a');
  fresh.reset();
  fresh.observe({ id: round }, 1);
  res.end('ok');
});
${SERVE}
`,
  },
  {
    title: 'TypeScript, with types of the client and of Node.js',
    ending: 'ts',
    moved: 1,
    text: `import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import client, { Histogram, type LabelValues } from 'prom-client';

const duration = new Histogram<'route'>({
	name: 'typed_seconds',
	help: 'Typed',
	labelNames: ['route'] as const,
	buckets: [0.5, 1],
});
const NO_LABELS: LabelValues<'route'> = { route: '/a' };
interface Shop { readonly duration: number }

async function page(_request: IncomingMessage, response: ServerResponse): Promise<void> {
	response.setHeader('Content-Type', client.register.contentType);
	response.end(await client.register.metrics());
}

const server = createServer(async (request, response): Promise<void> => {
	if (request.url === '/metrics') {
		await page(request, response);
		return;
	}
	const shop: Shop = { duration: 0.75 };
	duration.observe(NO_LABELS, shop.duration);
	response.end('ok');
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as { port: number }).port));
`,
  },
  {
    title: 'Express with an inline handler',
    ending: 'cjs',
    needsFramework: true,
    moved: 1,
    text: `const express = require('express');
const client = require('prom-client');

const app = express();
const duration = new client.Histogram({
  name: 'express_seconds',
  help: 'Express',
  labelNames: ['method', 'route', 'code'],
  buckets: [0.1, 1],
});
app.get('/buy', (req, res) => {
  res.on('finish', () => duration.labels(req.method, req.route.path, res.statusCode).observe(0.5));
  res.send('sold');
});
app.get('/metrics', async (req, res) => {
  res.set('Content-Type', client.register.contentType);
  res.end(await client.register.metrics());
});
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
`,
  },
  {
    title: 'Express with a router and a failure handler',
    ending: 'mjs',
    needsFramework: true,
    moved: 1,
    text: `import express, { Router } from 'express';
import { collectDefaultMetrics, Histogram, register } from 'prom-client';

collectDefaultMetrics({ register });
const app = express();
const router = Router();
const duration = new Histogram({ name: 'routed_seconds', help: 'Routed', labelNames: ['method'] });
const observeAll = (req, res, next) => {
  if (req.path !== '/metrics') duration.observe({ method: req.method }, 2);
  next();
};
app.use(observeAll);
router.get('/buy', (req, res) => res.send('sold'));
router.get('/metrics', async (_req, res, next) => {
  try {
    res.contentType(register.contentType);
    res.send(await register.metrics());
  } catch (error) {
    next(error);
  }
});
app.use(router);
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
`,
  },
  {
    title: 'a page that is moved already, and a histogram that a condition makes',
    ending: 'mjs',
    moved: 2,
    text: `import { createServer } from 'node:http';
import { fromPromClient, prometheusHandler } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import client from 'prom-client';

const mine = createRegistry();
const metrics = prometheusHandler(mine, { sources: [fromPromClient(client.register)] });
const duration = new client.Histogram({ name: 'half_seconds', help: 'Half', labelNames: ['a'] });
function make() {
  const inner = new client.Histogram({ name: 'inner_seconds', help: 'Inner', labelNames: ['a'], buckets: [1] });
  return (value) => {
    inner.observe({ a: 'b' }, value);
  };
}
const count = make();
const server = createServer((req, res) => {
  if (req.url === '/metrics') return metrics(req, res);
  duration.observe({ a: 'b' }, 0.1);
  count(2);
  res.end('ok');
});
${SERVE}
`,
  },
  {
    title: 'Fastify in one file, with a reply that sends',
    ending: 'cjs',
    needsFramework: true,
    moved: 1,
    text: `const app = require('fastify')();
const { Histogram, register } = require('prom-client');
const duration = new Histogram({ name: 'reply_seconds', help: 'Reply', labelNames: ['route'] });
app.get('/metrics', async (request, reply) => {
  if (request.url === '/metrics') {
    return reply.type(register.contentType).code(200).send(await register.metrics());
  }
  return 'no page';
});
app.get('/buy', async () => {
  duration.observe({ route: 'x' }, 0.2);
  return 'sold';
});
app.listen({ port: 0, host: '127.0.0.1' }, () => console.log(app.server.address().port));
`,
  },
];
