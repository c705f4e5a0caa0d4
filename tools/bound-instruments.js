/**
 * `node tools/bound-instruments.js`: how long a record by a bound instrument takes, compared with one by attributes and with
 * the SDK's. All cases run in this process, in turns, so that the ratios hold on a busy machine too: each round gives a ratio of
 * CPU times, and the median of the ratios is printed. Needs `npm run build`.
 */
import { bind, createHdr } from '@hdrscope/otel';
import { AggregationType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

/** @import { Attributes, Histogram } from '@opentelemetry/api' */

const ROUNDS = 21;
const RECORDS = 200_000;

/** From 0 to 6, like those of an HTTP server. */
const ATTRIBUTES = [0, 1, 3, 6].map((count) =>
  Object.entries({
    'http.request.method': 'GET',
    'http.route': '/users/:id',
    'http.response.status_code': 200,
    'url.scheme': 'https',
    'network.protocol.version': '1.1',
    'server.address': 'shop.example.com',
  }).slice(0, count),
);

class ManualReader extends MetricReader {
  async onShutdown() {}
  async onForceFlush() {}
}

/** @param {AggregationType.EXPLICIT_BUCKET_HISTOGRAM | AggregationType.EXPONENTIAL_HISTOGRAM} type */
function sdkInstrument(type) {
  const options = { boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] };
  const aggregation = type === AggregationType.EXPLICIT_BUCKET_HISTOGRAM ? { type, options } : { type };
  const views = [{ instrumentName: '*', aggregation }];
  return instrumentOf(new MeterProvider({ readers: [new ManualReader()], views }));
}

function hdrInstrument() {
  const hdr = createHdr({ views: [{ instrumentName: '*' }], environment: {} });
  return instrumentOf(hdr.wrapProvider(new MeterProvider({ readers: [hdr.wrapReader(new ManualReader())] })));
}

/** @param {MeterProvider} provider */
function instrumentOf(provider) {
  return provider.getMeter('m').createHistogram('http.server.request.duration', { unit: 's' });
}

/** Latencies around 50 ms, always the same. */
const values = Float64Array.from({ length: 4096 }, (_, i) => 0.05 * Math.exp(2 * Math.sin(i * 12.9898)));

/**
 * A loop that is compiled for one case only: cases that share a loop would lose what the compiler knows of each.
 *
 * @param {string} operation
 * @returns {(instrument: unknown, attributes: Attributes, records: number) => void}
 */
function loopOf(operation) {
  const body = `for (let i = 0; i < records; i++) { const value = values[i & 4095]; ${operation}; }`;
  return new Function('values', `return (instrument, attributes, records) => { ${body} }`)(values);
}

/** @param {[string, unknown][]} entries */
function casesOf(entries) {
  const attributes = Object.fromEntries(entries);
  // As code, so that each call makes a new object.
  const fresh = JSON.stringify(attributes);
  const explicit = sdkInstrument(AggregationType.EXPLICIT_BUCKET_HISTOGRAM);
  const exponential = sdkInstrument(AggregationType.EXPONENTIAL_HISTOGRAM);
  const byShared = 'instrument.record(value, attributes)';
  const byFresh = `instrument.record(value, ${fresh})`;
  /** @type {[string, unknown, string][]} */
  const cases = [
    ['`bound.record(value)`', bind(hdrInstrument(), attributes), 'instrument.record(value)'],
    ['HDR, `record(value, attributes)`, one object', hdrInstrument(), byShared],
    ['HDR, `record(value, attributes)`, a new object each time', hdrInstrument(), byFresh],
    ['SDK, explicit buckets, one object', explicit, byShared],
    [
      'SDK, explicit buckets, a new object each time',
      sdkInstrument(AggregationType.EXPLICIT_BUCKET_HISTOGRAM),
      byFresh,
    ],
    ['SDK, exponential buckets, one object', exponential, byShared],
    [
      'SDK, `bind` of this package',
      bind(sdkInstrument(AggregationType.EXPLICIT_BUCKET_HISTOGRAM), attributes),
      'instrument.record(value)',
    ],
  ];
  return cases.map(([name, instrument, operation]) => {
    const loop = loopOf(operation);
    return { name, run: (/** @type {number} */ records) => loop(instrument, attributes, records) };
  });
}

/** @param {() => void} work */
function cpuMicroseconds(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** @param {number[]} numbers */
function median(numbers) {
  return /** @type {number} */ (numbers.sort((a, b) => a - b)[numbers.length >> 1]);
}

/** @param {ReturnType<typeof casesOf>} cases */
function ratiosOf(cases) {
  for (const { run } of cases) run(RECORDS);
  /** @type {number[][]} */
  const ratios = cases.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    const times = cases.map(({ run }) => cpuMicroseconds(() => run(RECORDS)));
    for (const [i, time] of times.entries()) ratios[i]?.push(time / /** @type {number} */ (times[0]));
  }
  return ratios.map(median);
}

const columns = ATTRIBUTES.map((entries) => ratiosOf(casesOf(entries)));
const names = casesOf([]).map(({ name }) => name);
console.log(
  `| Node.js ${process.version} | ${ATTRIBUTES.map(({ length }) => `${length} attributes`).join(' | ')} |`,
);
console.log(`|---|${ATTRIBUTES.map(() => '---').join('|')}|`);
for (const [i, name] of names.entries()) {
  console.log(`| ${name} | ${columns.map((column) => `${column[i]?.toFixed(1)} ×`).join(' | ')} |`);
}
