import { connect } from 'node:net';
import { createRegistry } from '@hdrscope/registry';
import { ask, EventReader, endAll, serve } from './support.ts';

afterEach(endAll);

test('every answer forbids foreign scripts, frames and contents, and lets no other site read it', async () => {
  const { port } = await serve(createRegistry());

  for (const path of ['/', '/nothing', '/export?format=x']) {
    const { headers } = await ask({ port, path });
    expect(headers['content-security-policy']).toMatch(/^default-src 'self'; .*frame-ancestors 'none'$/);
    expect(headers['content-security-policy']).not.toMatch(/script-src|unsafe-eval/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  }
});

test.each([
  ['/nothing', 'GET', 404],
  ['/../../package.json', 'GET', 404],
  ['/%2e%2e/package.json', 'GET', 404],
  ['/src/index.ts', 'GET', 404],
  ['//evil.example/', 'GET', 404],
  ['/', 'POST', 405],
  ['/', 'DELETE', 405],
  ['/events', 'POST', 405],
  ['/open', 'GET', 405],
  ['*', 'OPTIONS', 400],
])('answers %s by %s with %i', async (path, method, status) => {
  const { port } = await serve(createRegistry());

  const answer = await ask({ port, path, method });

  expect(answer.status).toBe(status);
});

test('files of the page are compressed for clients that take gzip, and have the same contents for all', async () => {
  const { port } = await serve(createRegistry());
  const plain = await ask({ port, path: '/page.js' });
  const zipped = await fetch(`http://localhost:${port}/page.js`);

  expect(plain.headers).toMatchObject({ vary: 'accept-encoding', etag: zipped.headers.get('etag') });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(Number(zipped.headers.get('content-length'))).toBeLessThan(plain.text.length / 2);
  expect(await zipped.text()).toBe(plain.text);
});

test('HEAD of the events has no body and adds no client', async () => {
  const { port } = await serve(createRegistry());

  const { status, text } = await ask({ port, path: '/events', method: 'HEAD' });

  expect([status, text]).toEqual([200, '']);
});

test.each([
  'no http at all\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET http://%%% HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /\u0000 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'POST /open?name=x HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
  'GET /events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: \u00ff\u00fe\r\n',
])('lives on after %j', async (garbage) => {
  const { port } = await serve(createRegistry());

  await new Promise<void>((resolve) => {
    const socket = connect(port, 'localhost', () => socket.end(garbage, 'latin1'));
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => resolve());
  });

  expect((await ask({ port, path: '/nothing' })).status).toBe(404);
});

test('rows are downloaded as CSV, and the picked one as percentile text', async () => {
  const registry = createRegistry();
  registry.histogram({ name: 'rpc', unit: 's' }).with({ method: 'get' }).record(0.5);
  const { port } = await serve(registry);
  // The table has rows after the first update.
  await (await EventReader.open({ port })).table();

  const csv = await ask({ port, path: '/export?format=csv' });
  expect(csv.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="hdrscope.csv"',
  });
  expect(csv.text.split('\r\n')[1]).toMatch(/^rpc,s,get,1,1,0,0\.5/);
  const hgrm = await ask({ port, path: '/export?format=hgrm&pick=rpc+method%3Dget' });
  expect(hgrm.headers['content-disposition']).toBe('attachment; filename="rpc_method_get.hgrm"');
  expect(hgrm.text).toContain('#[Max     =');
  for (const [path, status] of [
    ['/export', 400],
    ['/export?format=png', 400],
    ['/export?format=hgrm', 404],
    ['/export?format=hgrm&pick=other', 404],
  ] as const) {
    expect((await ask({ port, path })).status).toBe(status);
  }
});
