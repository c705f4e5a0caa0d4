import { MessageChannel } from 'node:worker_threads';
import { explicitLayout } from '@hdrscope/core';
import { JointHistogram } from '@hdrscope/core/joint';
import { expectOptionsChecked } from '@hdrscope/testing/refusals';
import { collectFrom, collectFromCluster, createRegistry, ingest, ingestJoint } from '../src/index.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

const source = { name: 'jobs', collect: () => {} };
const cluster = { on: () => {}, off: () => {} };
const joint = new JointHistogram([{ name: 'size', layout: explicitLayout([1]) }]);
const { port1 } = new MessageChannel();
afterAll(() => port1.close());

test.each<[call: string, call: (options: never) => unknown, required?: object]>([
  ['createRegistry', (options) => createRegistry(options)],
  ['registry.histogram', (options) => createRegistry().histogram(options), { name: 'jobs' }],
  ['registry.add', (options) => createRegistry().add(source, options)],
  ['registry.gather', (options) => createRegistry().gather(options)],
  ['ingest', (options) => ingest(createRegistry(), { name: 'jobs' }, options)],
  [
    'ingestJoint',
    (options) => ingestJoint(createRegistry(), joint, options),
    { families: { size: { name: 'size' } } },
  ],
  [
    'ingestJoint, in classes',
    (classes) => ingestJoint(createRegistry(), joint, { families: { size: { name: 'size' } }, classes }),
    { axis: 'size', bounds: [1] },
  ],
  ['collectFrom', (options) => collectFrom(createRegistry(), port1, options)],
  ['collectFromCluster', (options) => collectFromCluster(createRegistry(), cluster, options)],
])('%s refuses options of wrong kinds', async (_name, ...checked) => {
  await expectOptionsChecked(...checked);
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
