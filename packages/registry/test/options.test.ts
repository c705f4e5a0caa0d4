import { MessageChannel } from 'node:worker_threads';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import { collectFrom, collectFromCluster, createRegistry, ingest } from '../src/index.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

const source = { name: 'jobs', collect: () => {} };
const cluster = { on: () => {}, off: () => {} };

test.each<[call: string, meant: string, action: () => unknown]>([
  ['createRegistry', 'clock', () => createRegistry(wrong({ clok: undefined }))],
  ['registry.histogram', 'unit', () => createRegistry().histogram(wrong({ name: 'jobs', units: 's' }))],
  ['registry.add', 'timeoutMs', () => createRegistry().add(source, wrong({ timeout: 7 }))],
  ['registry.gather', 'maxAgeMs', () => createRegistry().gather(wrong({ maxAge: 7 }))],
  ['ingest', 'since', () => ingest(createRegistry(), { name: 'jobs' }, wrong({ sinse: 'now' }))],
  [
    'collectFrom',
    'timeoutMs',
    () => collectFrom(createRegistry(), new MessageChannel().port1, wrong({ timeoutMillis: 7 })),
  ],
  [
    'collectFromCluster',
    'attributesOf',
    () => collectFromCluster(createRegistry(), cluster, wrong({ attributeOf: () => ({}) })),
  ],
])('%s refuses an option that does not exist, and names %s', async (_call, meant, action) => {
  await expectMisspelt(action, meant);
});

test('a registry that refused a gather answers the next one', async () => {
  const registry = createRegistry();
  await expect(registry.gather(wrong({ now: 7 }))).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
  expect((await registry.gather({ nowMs: 7 })).timeMs).toBe(7);
});

test.each([[Number.NaN], [Number.POSITIVE_INFINITY], ['7']])(
  'a gather refuses the time %p',
  async (nowMs) => {
    await expect(createRegistry().gather(wrong({ nowMs }))).rejects.toMatchObject({
      code: 'ERR_INVALID_OPTION',
    });
  },
);
