import { testShared } from '@hdrscope/testing';
import { Histogram } from '../src/histogram/histogram.ts';
import { formatPercentiles } from '../src/text/percentile-text.ts';
import { toHex } from './support/bytes.ts';

const V2_LOG = 'data/hlog/jHiccup-2.0.7S.logV2.hlog';
const TAGGED_LOG = 'data/hlog/tagged-Log.logV2.hlog';

/** One line of an interval log whose encoding is still text. */
interface LoggedInterval {
  readonly tag: string | undefined;
  readonly startSeconds: number;
  readonly encoded: string;
}

/** The intervals of a log. Nothing is checked, and there is no base time. */
function intervalsOf(log: string): LoggedInterval[] {
  return log
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('"'))
    .map((line) => {
      const fields = line.trim().split(',');
      const tag = fields[0]!.startsWith('Tag=') ? fields.shift()!.slice(4) : undefined;
      return { tag, startSeconds: Number(fields[0]), encoded: fields[3]! };
    });
}

/** Intervals that begin in a range of seconds after the start of the log, and have a tag or none. */
function chosen(log: string, from = 0, to = Number.POSITIVE_INFINITY, tag?: string): LoggedInterval[] {
  return intervalsOf(log).filter(
    (one) => one.tag === tag && one.startSeconds >= from && one.startSeconds <= to,
  );
}

function accumulate(sum: Histogram, intervals: readonly LoggedInterval[]): Histogram {
  for (const { encoded } of intervals) sum.add(Histogram.decode(encoded));
  return sum;
}

/** The sum with the settings of the first interval, as in Java's log processor. */
function accumulatedLikeTheFirst(intervals: readonly LoggedInterval[]): Histogram {
  const { layout } = Histogram.decode(intervals[0]!.encoded);
  return accumulate(new Histogram({ layout, autoResize: true }), intervals);
}

const PERCENTILES = [50, 99, 99.9];

describe('intervals that Java logged, added into a histogram of three digits', () => {
  // [file, range, tag, intervals, total, p50, p99, p99.9, max]: Java HdrHistogram.
  const java: readonly (readonly [string, number, number, string | undefined, ...number[]])[] = [
    [
      V2_LOG,
      0,
      Number.POSITIVE_INFINITY,
      undefined,
      62,
      48_761,
      327_935,
      1_427_111_935,
      1_745_879_039,
      1_796_210_687,
    ],
    [V2_LOG, 5, 20, undefined, 15, 11_664, 360_703, 1_435_500_543, 1_536_163_839, 1_544_552_447],
    [V2_LOG, 40, 60, undefined, 20, 15_830, 327_935, 1_636_827_135, 1_779_433_471, 1_796_210_687],
    [
      TAGGED_LOG,
      0,
      Number.POSITIVE_INFINITY,
      undefined,
      21,
      16_145,
      344_319,
      1_385_168_895,
      1_536_163_839,
      1_544_552_447,
    ],
    [
      TAGGED_LOG,
      0,
      Number.POSITIVE_INFINITY,
      'A',
      21,
      16_145,
      344_319,
      1_385_168_895,
      1_536_163_839,
      1_544_552_447,
    ],
    [
      'data/hlog/jHiccup-no-header-2.0.7S.logV2.hlog',
      0,
      Number.POSITIVE_INFINITY,
      undefined,
      62,
      48_761,
      327_935,
      1_427_111_935,
      1_745_879_039,
      1_796_210_687,
    ],
  ];

  for (const [file, from, to, tag, intervals, total, ...values] of java) {
    testShared(`sum to what Java sums: ${file}, ${from} to ${to} s, tag ${tag}`, [file], (log) => {
      const all = chosen(log, from, to, tag);
      const sum = accumulate(new Histogram(), all);
      expect([all.length, sum.totalCount]).toEqual([intervals, total]);
      expect([...sum.valuesAtPercentiles(PERCENTILES), sum.max]).toEqual(values);
    });
  }

  testShared('have the mean and the standard deviation that Java computes', [V2_LOG], (log) => {
    const sum = accumulate(new Histogram(), chosen(log));
    expect([sum.mean, sum.standardDeviation]).toEqual([67_632_018.5421956, 258_309_994.10927352]);
    const [first, second] = chosen(log).map(({ encoded }) => Histogram.decode(encoded));
    expect([first!.mean, second!.mean].map(Math.floor)).toEqual([301_998, 293_719]);
  });

  testShared('are encoded again byte for byte', [V2_LOG, TAGGED_LOG], (...logs) => {
    for (const { encoded } of logs.flatMap((log) => intervalsOf(log))) {
      const histogram = Histogram.decode(encoded);
      expect([histogram.layout.lowestDiscernibleValue, histogram.layout.significantDigits]).toEqual([
        20_000, 2,
      ]);
      expect(toHex(Histogram.decode(histogram.toBase64()).encode())).toBe(toHex(histogram.encode()));
    }
  });

  testShared('may be empty', ['data/hlog/bug-whitespace.hlog'], (log) => {
    const [interval, ...others] = intervalsOf(log);
    expect([interval!.tag, others]).toEqual(['bo-global-http', []]);
    const histogram = Histogram.decode(interval!.encoded);
    expect([histogram.totalCount, histogram.max, histogram.valueAtPercentile(99.9)]).toEqual([0, 0, 0]);
  });

  testShared('of version 0 are those that Java sees', ['data/hlog/jHiccup-2.0.1.logV0.hlog'], (log) => {
    const sum = new Histogram();
    const intervals = intervalsOf(log);
    for (const { encoded } of intervals) sum.add(Histogram.decode(encoded));
    expect([intervals.length, sum.totalCount, sum.max]).toEqual([81, 61_256, 1_569_718_271]);
    expect(sum.valuesAtPercentiles([50, 99, 99.9])).toEqual([377_087, 1_099_956_223, 1_510_998_015]);
  });
});

describe('the percentile distribution of a log is that of Java’s log processor, byte for byte', () => {
  const java: readonly (readonly [log: string, golden: string, from: number, to: number, tag?: string])[] = [
    [V2_LOG, 'data/java-golden/jHiccup-2.0.7S.logV2.out.hgrm', 0, Number.POSITIVE_INFINITY],
    [V2_LOG, 'data/java-golden/jHiccup-2.0.7S.logV2.csv.out.hgrm', 0, Number.POSITIVE_INFINITY],
    [V2_LOG, 'data/java-golden/v2.start5.end20.hgrm', 5, 20],
    [TAGGED_LOG, 'data/java-golden/tagged-Log.logV2.out.hgrm', 0, Number.POSITIVE_INFINITY],
    [TAGGED_LOG, 'data/java-golden/tagged-Log.logV2.csv.out.hgrm', 0, Number.POSITIVE_INFINITY],
    [TAGGED_LOG, 'data/java-golden/tagA.hgrm', 0, Number.POSITIVE_INFINITY, 'A'],
  ];

  for (const [file, golden, from, to, tag] of java) {
    testShared(`${golden}`, [file, golden], (log, text) => {
      const sum = accumulatedLikeTheFirst(chosen(log, from, to, tag));
      const format = golden.includes('.csv.') ? 'csv' : 'text';
      const distribution = text.replace(/^(#\[(Overall|StartTime).*\n)+/, '');
      expect(formatPercentiles(sum, { valueScale: 1e6, format })).toBe(distribution);
    });
  }
});
