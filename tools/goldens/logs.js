/**
 * Interval logs in both directions. Exits with 1 unless, for the recordings of the fixtures in several zones,
 *
 *   - the log of our writer equals that of HdrHistogram byte for byte, except for the deflated histograms, which are equal
 *     when inflated
 *   - HdrHistogram's reader reads from our log, and our reader from HdrHistogram's, the same times, tags, totals and
 *     percentiles
 *
 *   node tools/goldens/logs.js      needs a built `@hdrscope/interval-log`: npm run build
 */
import { readFileSync } from 'node:fs';
import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { IntervalLogWriter, readIntervals } from '@hdrscope/interval-log';
import { make } from './ask.js';
import { inflated } from './differences.js';
import { withOracle } from './oracle.js';
import { countsOf } from './recorded.js';

const FIXTURES = new URL('../../packages/core/test/fixtures/java/', import.meta.url);

/** Each log: zone, base time, start time and comment. */
const LOGS = [
  ['UTC', 0, 1_441_812_279_474, 'absolute'],
  ['America/Los_Angeles', 1_441_812_279_474, 1_441_812_279_474, '[summer time, relative]'],
  ['Europe/Berlin', 1_500_000_000_001, 1_450_000_000_999, 'winter time, größer'],
  ['Asia/Kolkata', 1_700_000_000_000, 1_700_000_000_500, ''],
  ['America/Sao_Paulo', 5, 2_600_000_000_000, 'in 2052'],
  ['Etc/GMT-3', 86_400_000, 0, 'in 1970'],
];
const TAGS = [undefined, 'get', '', 'a=b', 'größe'];
const INTERVALS = 24;

await withOracle('logs', false, verify);

async function verify(oracle) {
  const recordings = [...recordingsOf('histograms'), ...recordingsOf('double-histograms')];
  let intervals = 0;
  const complaints = [];
  for (const [n, log] of LOGS.entries()) {
    const chosen = recordings.filter((_, i) => i % LOGS.length === n).slice(0, INTERVALS);
    intervals += chosen.length;
    for (const complaint of await compare(oracle, log, chosen)) complaints.push(`${log[0]}: ${complaint}`);
  }
  for (const complaint of complaints) console.error(`logs: ${complaint}`);
  console.log(`logs: ${LOGS.length} logs of ${intervals} intervals, ${complaints.length} complaints`);
  return complaints.length === 0 && intervals > 0 ? 0 : 1;
}

/** The cases of a fixture whose numbers JavaScript holds exactly. */
function recordingsOf(fixture) {
  const { cases } = JSON.parse(readFileSync(new URL(`${fixture}.json`, FIXTURES), 'utf8'));
  return cases.filter(
    ({ recorded = [], options, totalCount }) =>
      !recorded.flat().some((number) => typeof number === 'string') &&
      !Object.values(options).some((option) => typeof option === 'string') &&
      Number.isSafeInteger(totalCount) &&
      // HdrHistogram reports the unit less one as the maximum of an empty histogram with a unit.
      !(totalCount === 0 && options.lowestDiscernibleValue > 1),
  );
}

async function compare(oracle, [zone, baseTimeMs, startTimeMs, comment], recordings) {
  const intervals = recordings.map((recording, i) => ({
    recording,
    name: `interval ${i}`,
    tag: TAGS[i % TAGS.length],
    startTimeMs: baseTimeMs + 1007 * i,
    endTimeMs: baseTimeMs + 1007 * (i + 1) + (i % 3),
  }));
  for (const { name, recording } of intervals) await make(oracle, name, recording);
  const theirs = await oracle.ask(
    'writeLog',
    ...[zone, baseTimeMs, startTimeMs, comment],
    ...intervals.flatMap(({ name, tag, ...times }) => [
      name,
      tag === undefined ? '' : `=${tag}`,
      times.startTimeMs,
      times.endTimeMs,
    ]),
  );

  let ours = '';
  const writer = new IntervalLogWriter((line) => (ours += line), { baseTimeMs, timeZone: zone });
  writer.comment(comment);
  writer.formatVersion();
  writer.startTime(startTimeMs);
  writer.baseTime();
  writer.legend();
  for (const interval of intervals) writer.interval(replayed(interval));

  return [
    ...unlike('line', inflatedLines(ours), inflatedLines(theirs)),
    ...unlike(
      'interval read by HdrHistogram',
      await readThere(oracle, ours),
      await readThere(oracle, theirs),
    ),
    ...unlike('interval read here', await readHere(ours), await readThere(oracle, ours)),
    ...unlike('interval of HdrHistogram read here', await readHere(theirs), await readThere(oracle, theirs)),
  ];
}

function replayed({ recording, tag, startTimeMs, endTimeMs }) {
  const { options } = recording;
  const isDouble = 'highestToLowestValueRatio' in options;
  const histogram = isDouble ? new DoubleHistogram(options) : new Histogram(options);
  for (const [value, count] of countsOf(recording)) histogram.record(value, count);
  return Object.assign(histogram, { tag, startTimeMs, endTimeMs });
}

/** The lines with inflated histograms, because builds of zlib deflate the same bytes differently. */
function inflatedLines(log) {
  return log.split('\n').map((line) => {
    const [encoded] = /D?HIST[^,]*$/.exec(line) ?? [];
    if (encoded === undefined || line.startsWith('#')) return line;
    return `${line.slice(0, -encoded.length)}${inflated(encoded)}`;
  });
}

function readThere(oracle, log) {
  return oracle.ask('readLog', Buffer.from(log).toString('base64'));
}

async function readHere(log) {
  const rows = [];
  for await (const interval of readIntervals(new TextEncoder().encode(log))) {
    const histogram = interval.histogram();
    const { tag = null, startTimeMs, endTimeMs, totalCount, max } = histogram;
    const kind = interval.isDouble ? 'doubles' : 'integers';
    const percentiles = histogram.valuesAtPercentiles([50, 99, 99.9]);
    rows.push([kind, tag, startTimeMs, endTimeMs, totalCount, max, ...percentiles]);
  }
  return rows;
}

function unlike(what, seen, expected) {
  const complaints = [];
  for (let i = 0; i < Math.max(seen.length, expected.length); i++) {
    const [one, other] = [seen[i], expected[i]].map((item) => JSON.stringify(item) ?? 'nothing');
    if (one !== other) complaints.push(`${what} ${i}: ${one.slice(0, 200)} for ${other.slice(0, 200)}`);
  }
  return complaints.slice(0, 5);
}
