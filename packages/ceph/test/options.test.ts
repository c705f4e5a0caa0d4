import { createRegistry, EMPTY_SNAPSHOT } from '@hdrscope/registry';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import {
  askAdminSocket,
  axisToHdr,
  daemonAt,
  daemonsAt,
  formatHistogramDump,
  formatHistogramSchema,
  histogramDump,
  ingestCeph,
  PerfHistogram,
  parseHistogramDump,
  parseHistogramLoggers,
  parseHistogramSchema,
  registryReplies,
  serveAdminSocket,
  snapshotLabelledNumbers,
  snapshotLoggers,
  snapshotNumbers,
} from '../src/index.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

const histogram = new PerfHistogram([
  { name: 'Latency (usec)', scale: 'log2', min: 0, quantSize: 100_000, buckets: 4, unit: 'ns' },
]);
const registry = createRegistry();
const fetch = () => '{}';

test.each<[call: string, meant: string, action: () => unknown]>([
  ['askAdminSocket', 'timeoutMs', () => askAdminSocket('./none.asok', 'version', {}, wrong({ timeout: 7 }))],
  ['serveAdminSocket', 'commands', () => serveAdminSocket(wrong({ path: './none.asok', comands: [] }))],
  ['registryReplies', 'percentiles', () => registryReplies(registry, wrong({ percentile: [50] }))],
  ['snapshotNumbers', 'percentiles', () => snapshotNumbers(EMPTY_SNAPSHOT, wrong({ percentile: [50] }))],
  ['snapshotLabelledNumbers', 'logger', () => snapshotLabelledNumbers(EMPTY_SNAPSHOT, wrong({ loger: 'a' }))],
  ['snapshotLoggers', 'release', () => snapshotLoggers(EMPTY_SNAPSHOT, wrong({ relase: 'next' }))],
  ['histogramDump', 'release', () => histogramDump([], wrong({ relase: 'next' }))],
  ['formatHistogramDump', 'format', () => formatHistogramDump([], wrong({ formt: 'json' }))],
  ['formatHistogramSchema', 'format', () => formatHistogramSchema([], wrong({ formt: 'json' }))],
  [
    'PerfHistogram.quantile',
    'interpolation',
    () => histogram.quantile(0, 0.5, wrong({ interpolate: 'inclusive' })),
  ],
  ['PerfHistogram.marginal', 'from', () => histogram.marginal(0, [wrong({ axis: 0, form: 0 })])],
  ['parseHistogramDump', 'logger', () => parseHistogramDump('{}', wrong({ loger: 'osd' }))],
  ['parseHistogramLoggers', 'counter', () => parseHistogramLoggers('{}', wrong({ countr: 'op' }))],
  ['parseHistogramSchema', 'lenient', () => parseHistogramSchema('{}', wrong({ lenien: true }))],
  [
    'axisToHdr',
    'significantDigits',
    () => axisToHdr(histogram, 0, wrong({ strategy: 'middle', significantDigit: 3 })),
  ],
  ['daemonAt', 'timeoutMs', () => daemonAt('/nowhere.asok', wrong({ timeout: 7 }))],
  ['daemonsAt', 'timeoutMs', () => daemonsAt('/nowhere.asok', wrong({ timeout: 7 }))],
  ['ingestCeph', 'units', () => ingestCeph(registry, fetch, wrong({ unit: {} }))],
  [
    'ingestCeph, in classes',
    'attribute',
    () => ingestCeph(registry, fetch, { classes: wrong({ axis: 'a', bounds: [], atribute: 'b' }) }),
  ],
  [
    'serveAdminSocket, in limits',
    'requests',
    () => serveAdminSocket({ path: './none.asok', limits: wrong({ request: 1 }) }),
  ],
  [
    'serveAdminSocket, in version',
    'release',
    () => serveAdminSocket({ path: './none.asok', version: wrong({ relese: 'x' }) }),
  ],
])('%s refuses an option that does not exist, and names %s', async (_call, meant, action) => {
  await expectMisspelt(action, meant);
});

test.each<[message: string, action: () => unknown]>([
  ['commands must be an array of commands', () => serveAdminSocket(wrong({ path: './a', commands: {} }))],
  ['reset must be a function', () => serveAdminSocket(wrong({ path: './a', reset: true }))],
  ['unref must be true or false', () => serveAdminSocket(wrong({ path: './a', unref: 1 }))],
  [
    'version.release must be a text',
    () => serveAdminSocket(wrong({ path: './a', version: { release: 16 } })),
  ],
  [
    'percentiles[0] must be a finite number from 0 to 100',
    () => snapshotNumbers(EMPTY_SNAPSHOT, { percentiles: [101] }),
  ],
  ['axisOf must be a function', () => snapshotLoggers(EMPTY_SNAPSHOT, wrong({ axisOf: 'log2' }))],
  ['lenient must be true or false', () => parseHistogramDump('{}', wrong({ lenient: 'yes' }))],
  ['logger must be a text', () => parseHistogramDump('{}', wrong({ logger: 7 }))],
  [
    'classes.bounds must be an array of numbers',
    () => ingestCeph(registry, fetch, { classes: wrong({ axis: 'a', bounds: 4096 }) }),
  ],
  ['merged must be true or false', () => ingestCeph(registry, fetch, wrong({ merged: 1 }))],
])('%s', async (message, action) => {
  await expect(async () => action()).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringContaining(message),
  });
});
