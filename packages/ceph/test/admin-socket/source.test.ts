import { createRegistry } from '@hdrscope/registry';
import { askAdminSocket, ingestCeph, registryReplies } from '../../src/index.ts';
import { useSockets } from './support/sockets.ts';

const sockets = useSockets();

test('a source reads the histograms of a served socket', async () => {
  const shop = createRegistry();
  const durations = shop.histogram({ name: 'request.duration', unit: 's' }).with({});
  for (let ms = 1; ms <= 100; ms++) durations.record(ms / 1000);
  const { path } = await sockets.serve(registryReplies(shop));

  const observer = createRegistry();
  ingestCeph(observer, () => askAdminSocket(path, 'perf histogram dump'));
  const { families, errors } = await observer.gather();

  expect(errors).toEqual([]);
  const latencies = families.filter(({ unit }) => unit === 's');
  expect(latencies.map(({ series }) => series.map(({ histogram }) => histogram.totalCount))).toEqual([[100]]);
});

test('a socket without a server is an error of the snapshot', async () => {
  const observer = createRegistry();
  ingestCeph(observer, () => askAdminSocket(sockets.pathOf('none.asok'), 'perf histogram dump'));
  const { errors } = await observer.gather();

  expect(errors).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ code: 'ERR_ADMIN_SOCKET' }) }),
  ]);
});
