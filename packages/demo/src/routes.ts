import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** What a handler is given. */
export interface Call {
  /** What stands in the place of the path's `{parameter}`; empty where the path has none. */
  readonly parameter: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

/** What a handler answers. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** One thing that the service can do. */
export interface Route {
  readonly method: string;
  /** The path as a template, as `http.route` wants it: few values, however many paths there are. */
  readonly template: string;
  handle(call: Call): Reply | Promise<Reply>;
}

/** What the handlers need of the outside. */
export interface World {
  /** A number from 0 up to 1. */
  random(): number;
  sleep(ms: number): Promise<unknown>;
}

/** Finds who answers a request, and what the path's parameter is. */
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

/** A small shop. Every route keeps the machine busy in another way, so that each has a distribution of its own. */
export function createRoutes(world: World): Route[] {
  return [productRoute(), searchRoute(world), reportRoute(world), loginRoute()];
}

const PRODUCT_COUNT = 500;

/** Works on the event loop: filters, sorts and prints JSON. Short, and in the way of everybody else. */
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

/** Waits, as for a database: a few milliseconds as a rule, and now and then long, for a lock that another one holds. */
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

/** Works in the thread pool, zlib's part: a table of a month, compressed. Some months have more days to tell of. */
function reportRoute({ random }: World): Route {
  return {
    method: 'GET',
    template: '/reports/{month}',
    async handle({ parameter }) {
      if (!/^\d{4}-\d\d$/.test(parameter)) return json(404, { error: 'a month is a text such as 2026-11' });
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
// A thousandth of what a real service should spend on a password: the demo has one machine for both sides.
const COST = { cost: 512 };

/** The only password of the shop. */
export const PASSWORD = 'correct horse battery staple';

/** Works in the thread pool, the hashing part: always the same work, whether the password is right or wrong. */
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
