/**
 * `node tools/bound-instruments.js`: how long a record by a bound instrument takes, compared with one by attributes and with
 * the SDK's. All cases run in this process, in turns, so that the ratios hold on a busy machine too: each round gives a ratio of
 * CPU times, and the median of the ratios is printed. Needs `npm run build`.
 */
import { bind } from '@hdrscope/otel';
import { hdrInstrument, manualReader, sdkInstrument } from './bench/instruments.js';
import { median } from './bench/table.js';
import { seconds } from './bench/values.js';

/** @import { Attributes } from '@opentelemetry/api' */

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

const hdr = async () => hdrInstrument([await manualReader()]);
/** @param {'explicit' | 'exponential'} aggregation */
const sdk = async (aggregation) => sdkInstrument([await manualReader()], aggregation);

const values = seconds();

/**
 * A loop that is compiled for one case only: cases that share a loop would lose what the compiler knows of each.
 *
 * @param {string} operation
 * @returns {(instrument: unknown, attributes: Attributes, records: number) => void}
 */
function loopOf(operation) {
  const body = `for (let i = 0; i < records; i++) { const value = values[i & (values.length - 1)]; ${operation}; }`;
  return new Function('values', `return (instrument, attributes, records) => { ${body} }`)(values);
}

/** @param {[string, unknown][]} entries */
async function casesOf(entries) {
  const attributes = Object.fromEntries(entries);
  const byShared = 'instrument.record(value, attributes)';
  // As code, so that each call makes a new object.
  const byFresh = `instrument.record(value, ${JSON.stringify(attributes)})`;
  const [explicit, exponential] = [await sdk('explicit'), await sdk('exponential')];
  /** @type {[string, unknown, string][]} */
  const cases = [
    ['`bound.record(value)`', bind(await hdr(), attributes), 'instrument.record(value)'],
    ['HDR, `record(value, attributes)`, one object', await hdr(), byShared],
    ['HDR, `record(value, attributes)`, a new object each time', await hdr(), byFresh],
    ['SDK, explicit buckets, one object', explicit, byShared],
    ['SDK, explicit buckets, a new object each time', await sdk('explicit'), byFresh],
    ['SDK, exponential buckets, one object', exponential, byShared],
    ['SDK, `bind` of this package', bind(await sdk('explicit'), attributes), 'instrument.record(value)'],
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

/** @param {Awaited<ReturnType<typeof casesOf>>} cases */
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

const columns = [];
for (const entries of ATTRIBUTES) columns.push(ratiosOf(await casesOf(entries)));
const names = (await casesOf([])).map(({ name }) => name);
console.log(
  `| Node.js ${process.version} | ${ATTRIBUTES.map(({ length }) => `${length} attributes`).join(' | ')} |`,
);
console.log(`|---|${ATTRIBUTES.map(() => '---').join('|')}|`);
for (const [i, name] of names.entries()) {
  console.log(`| ${name} | ${columns.map((column) => `${column[i]?.toFixed(1)} ×`).join(' | ')} |`);
}
