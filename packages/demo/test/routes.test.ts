import { gunzipSync } from 'node:zlib';
import { createRoutes, findRoute, PASSWORD, type Reply, type World } from '../src/routes.ts';

const calm: World = { random: () => 0.5, sleep: () => Promise.resolve() };

async function ask(method: string, url: string, body = '', world = calm): Promise<Reply> {
  const [path, query] = url.split('?') as [string, string | undefined];
  const { route, parameter } = findRoute(createRoutes(world), method, path)!;
  return route.handle({ parameter, query: new URLSearchParams(query), body: Buffer.from(body) });
}

test.each([
  ['GET', '/products/17', 'GET /products/{id}', '17'],
  ['GET', '/products/', 'GET /products/{id}', ''],
  ['GET', '/reports/2026-11', 'GET /reports/{month}', '2026-11'],
  ['GET', '/search', 'GET /search', ''],
  ['POST', '/login', 'POST /login', ''],
])('%s %s belongs to %s', (method, path, label, parameter) => {
  const found = findRoute(createRoutes(calm), method, path)!;

  expect([`${found.route.method} ${found.route.template}`, found.parameter]).toEqual([label, parameter]);
});

test.each([
  ['GET', '/'],
  ['GET', '/login'],
  ['POST', '/products/17'],
  ['GET', '/products/17/related'],
  ['GET', '/searches'],
])('%s %s has no route', (method, path) => {
  expect(findRoute(createRoutes(calm), method, path)).toBeUndefined();
});

test('a product comes with the products of the most similar prices', async () => {
  const { status, body } = await ask('GET', '/products/17');
  const product = JSON.parse(String(body));

  expect([status, product.id, product.related.length]).toEqual([200, 17, 30]);
  const distances: number[] = product.related.map(({ price }: { price: number }) =>
    Math.abs(price - product.price),
  );
  expect(distances).toEqual([...distances].sort((a, b) => a - b));
});

test.each([['500'], ['unknown'], ['-1'], ['1e2'], ['']])('there is no product %j', async (id) => {
  expect((await ask('GET', `/products/${id}`)).status).toBe(404);
});

test('the report of a month is compressed', async () => {
  const { status, headers, body } = await ask('GET', '/reports/2026-11');
  const lines = gunzipSync(body).toString().trimEnd().split('\n');

  expect([status, headers['content-encoding'], lines[0]]).toEqual([200, 'gzip', 'day,product,sold']);
  expect(lines.length).toBe(276); // 200 + 600 / 8, and the titles
});

test('a report for something other than a month does not exist', async () => {
  expect((await ask('GET', '/reports/november')).status).toBe(404);
});

test('only the right password logs in', async () => {
  const [right, wrong] = await Promise.all([ask('POST', '/login', PASSWORD), ask('POST', '/login', 'guess')]);

  expect([right.status, wrong.status]).toEqual([200, 401]);
  expect(JSON.parse(String(right.body)).token).toMatch(/^[0-9a-f]{32}$/);
});

test('a search waits a few milliseconds, and long when it meets a lock', async () => {
  const waits: number[] = [];
  const sleep = async (ms: number): Promise<void> => void waits.push(ms);

  await ask('GET', '/search?q=lamp', '', { random: () => 0.5, sleep });
  await ask('GET', '/search?q=lamp', '', { random: () => 0, sleep });

  expect(waits).toEqual([3 + 5 * Math.LN2, 150]);
});

test('the answer to a search has its query', async () => {
  const { status, body } = await ask('GET', '/search?q=standing%20desk');

  expect([status, JSON.parse(String(body))]).toEqual([200, { query: 'standing desk', hits: 50 }]);
});
