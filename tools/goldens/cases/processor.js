/** Logs, and the arguments with which Java's log processor reads them. */
import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { IntervalLogWriter } from '@hdrscope/interval-log';

const START_MS = 1_500_000_000_000;

/** Numbers from 0 to below 1, from the generator of the README. */
function numbersFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A log of `count` intervals of a second each, `fill` their histograms. */
function writeLog(head, count, fill, { baseTimeMs = 0 } = {}) {
  let text = '';
  const writer = new IntervalLogWriter(
    (line) => {
      text += line;
    },
    { baseTimeMs, timeZone: 'UTC' },
  );
  writer.formatVersion();
  head(writer);
  writer.legend();
  for (let i = 0; i < count; i++) {
    const histogram = fill(i, writer);
    histogram.startTimeMs = START_MS + 127 + i * 1003;
    histogram.endTimeMs = histogram.startTimeMs + 1001;
    writer.interval(histogram);
  }
  return text;
}

function filled(histogram, next, count, scale) {
  for (let i = 0; i < count; i++) histogram.record(scale(next()));
  return histogram;
}

/** Most are near 200 µs, few near seconds, in nanoseconds. */
const nanoseconds = (x) => Math.floor(200_000 * Math.exp(x ** 6 * 9));

function latencies(seed, options) {
  const next = numbersFrom(seed);
  return (count) => filled(new Histogram(options), next, count, nanoseconds);
}

const HICCUP = { lowestDiscernibleValue: 20_000, highestTrackableValue: 3.6e12, significantDigits: 2 };
const SERVICE = { lowestDiscernibleValue: 1000, highestTrackableValue: 3.6e12, significantDigits: 3 };

const tagged = latencies(1, SERVICE);
const hiccups = latencies(2, HICCUP);
const early = latencies(3, SERVICE);
const grown = numbersFrom(4);
const doubles = numbersFrom(5);
const twice = latencies(6, HICCUP);

export const LOGS = {
  // The tags A and B, and no tag.
  tags: writeLog(
    (writer) => writer.startTime(START_MS),
    12,
    (i) => {
      const histogram = tagged(60);
      histogram.tag = [undefined, 'A', undefined, 'B'][i % 4];
      return histogram;
    },
  ),
  // Like a log of jHiccup: relative times without a base time; some intervals are empty.
  hiccups: writeLog(
    (writer) => writer.startTime(START_MS),
    15,
    (i) => hiccups(i % 5 === 1 ? 0 : 80),
    {
      baseTimeMs: START_MS,
    },
  ),
  'base-time': writeLog(
    (writer) => {
      writer.startTime(START_MS + 500);
      writer.baseTime();
    },
    8,
    () => early(40),
    { baseTimeMs: START_MS },
  ),
  'no-start': writeLog(
    () => {},
    6,
    () => early(40),
  ),
  'two-starts': writeLog(
    (writer) => writer.startTime(START_MS),
    8,
    (i, writer) => {
      if (i === 4) writer.startTime(START_MS + 2000);
      return twice(30);
    },
  ),
  // Each interval has its own digits and range, and both grow.
  layouts: writeLog(
    (writer) => writer.startTime(START_MS),
    7,
    (i) =>
      filled(new Histogram({ significantDigits: 1 + (i % 4) }), grown, 50, (x) =>
        Math.floor(1000 * 10 ** (x * i)),
      ),
  ),
  doubles: writeLog(
    (writer) => writer.startTime(START_MS),
    9,
    (i) =>
      filled(
        new DoubleHistogram({ significantDigits: 2 }),
        doubles,
        i === 4 ? 0 : 50,
        (x) => 0.2 * Math.exp(x ** 6 * 9),
      ),
  ),
};

/** By log: the arguments of each run, without -i and -o. */
export const RUNS = {
  tags: [
    [],
    ['-csv'],
    ['-tag', 'A'],
    ['-tag', 'B', '-csv', '-start', '3'],
    ['-listtags'],
    ['-correctLogWithKnownCoordinatedOmission', '1000000'],
    ['-alltags', '-v', '-end', '6.5'],
  ],
  hiccups: [
    ['-mwp', '99.9', '-mwpl', '5000'],
    ['-csv', '-mwp', '50'],
    ['-start', '2.5', '-end', '9'],
    ['-start', '1', '-end', '1.5'],
    ['-correctLogWithKnownCoordinatedOmission', '1000000', '-mwpl', '3000'],
    ['-outputValueUnitRatio', '1000', '-percentilesOutputTicksPerHalf', '2'],
  ],
  'base-time': [[], ['-start', '0'], ['-end', '0x1p2', '-start', '-1e3d']],
  'no-start': [
    ['-mwp', '0'],
    ['-end', '2.006', '-percentilesOutputTicksPerHalf', '1'],
  ],
  'two-starts': [
    ['-mwp', '1.0E-5', '-mwpl', '0'],
    ['-start', '1.5'],
  ],
  layouts: [
    ['-outputValueUnitRatio', '1', '-mwpl', '2000'],
    ['-correctLogWithKnownCoordinatedOmission', '333.9'],
  ],
  doubles: [
    ['-outputValueUnitRatio', '1'],
    ['-outputValueUnitRatio', '0.001', '-csv', '-mwp', '100'],
    ['-end', '3'],
  ],
};
