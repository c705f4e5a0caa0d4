import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A request for a handler. */
export interface Call {
  /** The text in place of the template's `{parameter}`, or '' for a template without one. */
  readonly parameter: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

/** The answer of a handler. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** A route of the service. */
export interface Route {
  readonly method: string;
  /** The template of the path, for `http.route`, which must have few values. */
  readonly template: string;
  handle(call: Call): Reply | Promise<Reply>;
}

/** The outside world, as far as handlers need it. */
export interface World {
  /** A number from 0 to below 1. */
  random(): number;
  sleep(ms: number): Promise<unknown>;
}

/** Finds the route of a request and the parameter of its path. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly parameter: string } | undefined {
  for (const route of routes) {
    const [before, after] = route.template.split(/\{\w+\}/) as [string, string | undefined];
    if (route.method !== method) continue;
    if (after === undefined ? path === before : path.startsWith(before) && path.endsWith(after)) {
      const parameter = path.slice(
        before.length,
        after === undefined ? undefined : path.length - after.length,
      );
      if (!parameter.includes('/')) return { route, parameter };
    }
  }
  return undefined;
}

/** The routes of a small shop. Each keeps the machine busy in a different way, so their distributions differ. */
export function createRoutes(world: World): Route[] {
  return [productRoute(), searchRoute(world), reportRoute(world), loginRoute()];
}

const PRODUCT_COUNT = 500;

/** Works on the event loop: filters, sorts and prints JSON. The work is short, and blocks all other requests. */
function productRoute(): Route {
  const products = Array.from({ length: PRODUCT_COUNT }, (_, id) => ({
    id,
    name: `product ${id}`,
    price: ((id * 7919) % 10_000) / 100,
    tags: [`colour-${id % 7}`, `size-${id % 5}`, `shelf-${id % 31}`],
    text: 'Made to last, and easy to repair. '.repeat(3),
  }));
  return {
    method: 'GET',
    template: '/products/{id}',
    handle({ parameter }) {
      const product = /^\d+$/.test(parameter) ? products[Number(parameter)] : undefined;
      if (product === undefined) return json(404, { error: 'no such product' });
      const related = products
        .filter(({ tags }) => tags.some((tag) => product.tags.includes(tag)))
        .sort((a, b) => Math.abs(a.price - product.price) - Math.abs(b.price - product.price))
        .slice(1, 31);
      return json(200, { ...product, related });
    },
  };
}

const LOCK_EVERY = 250;

/** Waits, as for a database: usually a few milliseconds, sometimes long for a lock. */
function searchRoute({ random, sleep }: World): Route {
  return {
    method: 'GET',
    template: '/search',
    async handle({ query }) {
      const meetsLock = random() * LOCK_EVERY < 1;
      const waitMs = meetsLock ? 150 + 150 * random() : 3 - 5 * Math.log(1 - random());
      await sleep(waitMs);
      return json(200, { query: query.get('q'), hits: Math.floor(random() * 100) });
    },
  };
}

const compress = promisify(gzip);

/** Works in the thread pool: compresses the table of a month. Some months have more rows than others. */
function reportRoute({ random }: World): Route {
  return {
    method: 'GET',
    template: '/reports/{month}',
    async handle({ parameter }) {
      if (!/^\d{4}-\d\d$/.test(parameter)) return json(404, { error: 'a month must look like 2026-11' });
      const rows = 200 + Math.floor(600 * random() ** 3);
      let table = 'day,product,sold\n';
      for (let row = 0; row < rows; row++) {
        table += `${parameter}-${1 + (row % 28)},product ${(row * 7919) % PRODUCT_COUNT},${(row * row) % 97}\n`;
      }
      return {
        status: 200,
        headers: { 'content-type': 'text/csv', 'content-encoding': 'gzip' },
        body: await compress(table),
      };
    },
  };
}

const deriveKey = promisify<string, Buffer, number, { cost: number }, Buffer>(scrypt);
const KEY_BYTES = 32;
// A thousandth of the work that a real service should spend on a password: the load runs on the same machine.
const COST = { cost: 512 };

/** The only password of the shop. */
export const PASSWORD = 'correct horse battery staple';

/** Works in the thread pool: hashes a password. A wrong password takes the same work as the right one. */
function loginRoute(): Route {
  const salt = randomBytes(16);
  let expected: Promise<Buffer> | undefined;
  return {
    method: 'POST',
    template: '/login',
    async handle({ body }) {
      expected ??= deriveKey(PASSWORD, salt, KEY_BYTES, COST);
      const key = await deriveKey(body.toString(), salt, KEY_BYTES, COST);
      return timingSafeEqual(key, await expected)
        ? json(200, { token: randomBytes(16).toString('hex') })
        : json(401, { error: 'wrong password' });
    },
  };
}

function json(status: number, value: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
