import { createRegistry } from '@hdrscope/registry';
import { askAdminSocket, cephSource, registryReplies } from '../../src/index.ts';
import { useSockets } from './support/sockets.ts';

const sockets = useSockets();

test('what a socket serves comes into a registry again', async () => {
  const shop = createRegistry();
  const durations = shop.histogram({ name: 'request.duration', unit: 's' }).with({});
  for (let ms = 1; ms <= 100; ms++) durations.record(ms / 1000);
  const { path } = await sockets.serve(registryReplies(shop));

  const observer = createRegistry();
  observer.add(cephSource({ fetch: () => askAdminSocket(path, 'perf histogram dump') }));
  const { families, errors } = await observer.gather();

  expect(errors).toEqual([]);
  const latencies = families.filter(({ unit }) => unit === 's');
  expect(latencies.map(({ series }) => series.map(({ histogram }) => histogram.totalCount))).toEqual([[100]]);
});

test('a socket that nobody serves marks what is gathered', async () => {
  const observer = createRegistry();
  observer.add(
    cephSource({ fetch: () => askAdminSocket(sockets.pathOf('none.asok'), 'perf histogram dump') }),
  );
  const { errors } = await observer.gather();

  expect(errors).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ code: 'ERR_ADMIN_SOCKET' }) }),
  ]);
});
