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
])('%s refuses an option that does not exist, and names %s', async (_call, meant, action) => {
  await expectMisspelt(action, meant);
});
