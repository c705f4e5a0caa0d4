import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { formatPercentiles, Histogram } from '@hdrscope/core';
import { closeServer } from '@hdrscope/kit';
import { createRegistry } from '@hdrscope/registry';
import { listen } from '../src/listening.ts';
import { createPage, type Page } from '../src/page.ts';

let page: Page;

beforeEach(async () => {
  const registry = createRegistry();
  registry.histogram({ name: 'http.server.request.duration', unit: 's' }).with({ route: '/' }).record(0.1);
  page = createPage(registry);
  await listen(page.server, 0);
});

afterEach(async () => {
  page.end();
  await closeServer(page.server);
});

const urlOf = (path: string): string =>
  `http://127.0.0.1:${(page.server.address() as AddressInfo).port}/${path}`;

test('the page shows the registry of the demo and ends with it', async () => {
  const { body } = await fetch(urlOf('events'));
  const closed = once(page.server, 'close');
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body!) {
    text += decoder.decode(chunk, { stream: true });
    if (!text.includes('"attributes":["route=/"]')) continue;
    page.end();
    void closeServer(page.server);
  }

  await closed;
});

test('the page shows distributions that are dropped on it', async () => {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
  histogram.record(5_000_000, 7);

  const response = await fetch(urlOf('open?name=route.hgrm'), {
    method: 'POST',
    headers: { origin: urlOf('').slice(0, -1) },
    body: formatPercentiles(histogram, { valueScale: 1e6 }),
  });

  expect(await response.json()).toMatchObject({
    plots: [{ kind: 'percentiles', unit: 'ns', curves: [{ totalCount: 7 }] }],
  });
});
