import { closeServer } from '@hdrscope/kit';
import type { Attributes, Histogram } from '@opentelemetry/api';
import { HOST, listen } from '../src/listening.ts';
import type { Route } from '../src/routes.ts';
import { createService, type Service } from '../src/service.ts';

const routes: Route[] = [
  {
    method: 'POST',
    template: '/echo/{name}',
    handle: ({ parameter, query, body }) => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: `${parameter} ${query.get('q')} ${body}`,
    }),
  },
  {
    method: 'GET',
    template: '/broken',
    handle: () => {
      throw new Error('broken');
    },
  },
];

/** Runs a service until `visit` ends. Each look at its clock takes 12.5 ms. */
async function serve(
  visit: (url: string) => Promise<void>,
): Promise<{ service: Service; records: [number, Attributes][] }> {
  const records: [number, Attributes][] = [];
  const duration: Histogram = { record: (value, attributes = {}) => void records.push([value, attributes]) };
  let nowMs = 1000;
  const monotonicMs = (): number => {
    nowMs += 12.5;
    return nowMs;
  };
  const service = createService({ routes, duration, loadUserAgent: 'load', monotonicMs });
  const { port } = await listen(service.server, 0);
  await visit(`http://${HOST}:${port}`);
  await closeServer(service.server);
  return { service, records };
}

test('a request reaches its route', async () => {
  expect.assertions(2);
  await serve(async (url) => {
    const response = await fetch(`${url}/echo/anna?q=a%20b`, { method: 'POST', body: 'hello' });

    expect(await response.text()).toBe('anna a b hello');
    expect(response.headers.get('content-type')).toBe('text/plain');
  });
});

test('a request records its duration in seconds, with the attributes of the semantic conventions', async () => {
  const { records } = await serve(async (url) => {
    await fetch(`${url}/echo/anna`, { method: 'POST', body: 'hello' });
    await fetch(`${url}/nowhere`);
    await fetch(`${url}/broken`);
    await fetch(`${url}/echo/anna`, { method: 'PROPFIND' });
  });

  const scheme = { 'url.scheme': 'http' };
  expect(records).toEqual([
    [
      0.0125,
      {
        ...scheme,
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'http.route': '/echo/{name}',
      },
    ],
    [0.0125, { ...scheme, 'http.request.method': 'GET', 'http.response.status_code': 404 }],
    [
      0.0125,
      {
        ...scheme,
        'http.request.method': 'GET',
        'http.response.status_code': 500,
        'http.route': '/broken',
        'error.type': '500',
      },
    ],
    [0.0125, { ...scheme, 'http.request.method': '_OTHER', 'http.response.status_code': 404 }],
  ]);
});

test('answers to clients other than the load are counted separately', async () => {
  const { service } = await serve(async (url) => {
    await fetch(`${url}/broken`, { headers: { 'user-agent': 'load' } });
    await fetch(`${url}/broken`, { headers: { 'user-agent': 'a browser' } });
    await fetch(`${url}/nowhere`);
    await fetch(`${url}/nowhere`);
  });

  expect(service.answersToOthers).toEqual(
    new Map([
      [500, 1],
      [404, 2],
    ]),
  );
});
