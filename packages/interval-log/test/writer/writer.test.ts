import { DoubleHistogram, type HdrscopeError, Histogram } from '@hdrscope/core';
import { formatBaseTime, formatComment, formatInterval, formatStartTime } from '../../src/writer/format.ts';
import { IntervalLogWriter, type WriterOptions } from '../../src/writer/writer.ts';
import { brief, entriesOf } from '../support/read.ts';

function written(write: (writer: IntervalLogWriter) => void, options?: WriterOptions): string {
  let log = '';
  write(
    new IntervalLogWriter((line) => {
      log += line;
    }, options),
  );
  return log;
}

function histogramAt(startTimeMs: number, endTimeMs: number, tag?: string): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
  histogram.record(2_769_000);
  return Object.assign(histogram, { startTimeMs, endTimeMs, tag });
}

const refusal = (code: HdrscopeError['code'], message: string) => expect.objectContaining({ code, message });

test('writes the head of a log', () => {
  const log = written(
    (writer) => {
      writer.comment('[made by a test]');
      writer.formatVersion();
      writer.startTime(1_441_812_279_474);
      writer.baseTime();
      writer.legend();
    },
    { baseTimeMs: 1_441_812_279_000, timeZone: 'UTC' },
  );
  expect(log).toBe(
    [
      '#[made by a test]',
      '#[Histogram log format version 1.3]',
      '#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 15:24:39 UTC 2015]',
      '#[BaseTime: 1441812279.000 (seconds since epoch)]',
      '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
      '',
    ].join('\n'),
  );
});

test('prints dates in the given zone', () => {
  const log = written((writer) => writer.startTime(1_441_812_279_474), { timeZone: 'America/Sao_Paulo' });
  expect(log).toBe('#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 12:24:39 BRT 2015]\n');
});

test('writes intervals from the base time, with tag and maximum', () => {
  const options = { baseTimeMs: 1_441_812_279_000 };
  const log = written((writer) => {
    writer.interval(histogramAt(1_441_812_279_127, 1_441_812_280_134));
    writer.interval(histogramAt(1_441_812_280_134, 1_441_812_281_134, 'get'));
    writer.interval(histogramAt(1_441_812_281_134, 1_441_812_282_134, ''));
  }, options);
  expect(log.split('\n').map((line) => line.replace(/HIST.*/, ''))).toEqual([
    '0.127,1.007,2.771,',
    'Tag=get,1.134,1.000,2.771,',
    'Tag=,2.134,1.000,2.771,',
    '',
  ]);
});

test('divides the maximum by the given scale', () => {
  const log = written((writer) => writer.interval(histogramAt(0, 1)), { valueScale: 1000 });
  expect(log).toMatch(/^0\.000,0\.001,2770\.\d{3},HIST/);
});

test('compresses at the given level', () => {
  const line = (level: number): string =>
    formatInterval(histogramAt(0, 1), { startSec: 0, endSec: 1, level });
  expect(line(0).length).toBeGreaterThan(line(9).length);
  expect(formatInterval(histogramAt(0, 1), { startSec: 0, endSec: 1 })).toBe(line(9));
});

test('writes histograms of doubles', () => {
  const histogram = Object.assign(new DoubleHistogram(), { startTimeMs: 1000, endTimeMs: 2500 });
  histogram.record(0.25);
  const log = written((writer) => writer.interval(histogram), { valueScale: 1 });
  expect(log).toMatch(/^1\.000,1\.500,0\.250,DHIST/);
  expect(entriesOf(log)).toMatchObject([{ isDouble: true }]);
});

test('writes an empty histogram', () => {
  const histogram = new Histogram({ highestTrackableValue: 1000 });
  const line = formatInterval(histogram, { startSec: 0, endSec: 1 });
  expect(line).toMatch(/^0\.000,1\.000,0\.000,HIST/);
});

test('reads back what it wrote', () => {
  const original = histogramAt(1_441_812_279_127, 1_441_812_280_134, 'größe');
  const log = written(
    (writer) => {
      writer.baseTime();
      writer.interval(original);
    },
    { baseTimeMs: 1_441_812_279_000 },
  );
  const [, interval] = entriesOf(log);
  if (interval?.kind !== 'interval') throw new Error('not an interval');
  const histogram = interval.histogram() as Histogram;
  expect(histogram.equals(original)).toBe(true);
  expect([histogram.startTimeMs, histogram.endTimeMs, histogram.tag]).toEqual([
    1_441_812_279_127,
    1_441_812_280_134,
    'größe',
  ]);
});

test('makes a comment of each line of a text', () => {
  expect(formatComment('a\nb\r\n\rc')).toBe('#a\n#b\n#\n#c\n');
  expect(formatComment('')).toBe('#\n');
  expect(entriesOf(formatComment('1,2,3,H\n4,5,6,H')).map(brief)).toEqual([
    '1 comment 1,2,3,H',
    '2 comment 4,5,6,H',
  ]);
});

test.each(['a,b', 'a b', 'a\nb', 'a\rb', 'a\tb', '\u0000', '\u00a0', '\u2028', '\uFEFF'])(
  'refuses the tag %j, which would break the line',
  (tag) => {
    expect(() => formatInterval(histogramAt(0, 1), { tag, startSec: 0, endSec: 1 })).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_VALUE',
        message: expect.stringMatching(
          /^tag must be a text without commas, spaces and control characters, got /,
        ),
      }),
    );
  },
);

test.each(['a=b', 'Tag=x', '"quoted"', '#1', 'a/b?c=d&e', '日本', '😀'])('keeps the tag %j', (tag) => {
  expect(entriesOf(formatInterval(histogramAt(0, 1), { tag, startSec: 0, endSec: 1 }))).toMatchObject([
    { tag },
  ]);
});

test('refuses an interval without times', () => {
  const message = 'startTimeMs and endTimeMs of a written histogram must be numbers, got undefined';
  for (const times of [{}, { startTimeMs: 1 }, { endTimeMs: 1 }]) {
    const histogram = Object.assign(new Histogram(), times);
    expect(() => written((writer) => writer.interval(histogram))).toThrow(
      refusal('ERR_INVALID_VALUE', message),
    );
  }
});

test.each<[WriterOptions, string]>([
  [{ baseTimeMs: Number.NaN }, 'baseTimeMs must be a number of milliseconds since 1970, got NaN'],
  [{ valueScale: 0 }, 'valueScale must be a finite number above 0, got 0'],
  [{ valueScale: Number.POSITIVE_INFINITY }, 'valueScale must be a finite number above 0, got Infinity'],
  [{ timeZone: 'Mars/Olympus' }, 'timeZone must be the IANA name of a zone, got "Mars/Olympus"'],
])('refuses options %j', (options, message) => {
  expect(() => written(() => {}, options)).toThrow(refusal('ERR_INVALID_OPTION', message));
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e16])('refuses %p as a time', (timeMs) => {
  const refused = expect.objectContaining({ code: 'ERR_INVALID_VALUE' });
  expect(() => formatStartTime(timeMs)).toThrow(refused);
  expect(() => formatBaseTime(timeMs)).toThrow(refused);
  expect(() => formatInterval(histogramAt(0, 1), { startSec: timeMs / 1000, endSec: 1 })).toThrow(refused);
  expect(() => formatInterval(histogramAt(0, 1), { startSec: 0, endSec: timeMs / 1000 })).toThrow(refused);
});

test('refuses a zone that does not exist', () => {
  const message = 'timeZone must be the IANA name of a zone, got "Mars"';
  expect(() => formatStartTime(0, 'Mars')).toThrow(refusal('ERR_INVALID_OPTION', message));
});
