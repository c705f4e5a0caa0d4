import { DoubleHistogram, Histogram } from '@hdrscope/core';
import type { LogInterval } from '../../src/reader/entry.ts';
import { formatInterval } from '../../src/writer/format.ts';
import { ENCODED } from '../support/logs.ts';
import { entriesOf } from '../support/read.ts';

function intervalOf(line: string): LogInterval {
  const [entry] = entriesOf(line);
  if (entry?.kind !== 'interval') throw new Error(`not an interval: ${line}`);
  return entry;
}

const doubles = new DoubleHistogram();
doubles.record(2.5);
const DOUBLES = formatInterval(doubles, { startSec: 1, endSec: 2 });

test('has a histogram with times and tag', () => {
  const histogram = intervalOf(`Tag=get,1441812279.601,1.007,0,${ENCODED}`).histogram();
  expect(histogram).toBeInstanceOf(Histogram);
  const { totalCount, max, tag, startTimeMs, endTimeMs } = histogram;
  expect({ totalCount, max, tag, startTimeMs, endTimeMs }).toEqual({
    totalCount: 1,
    max: 42,
    tag: 'get',
    startTimeMs: 1_441_812_279_601,
    endTimeMs: 1_441_812_280_608,
  });
});

test('returns a new histogram at every call', () => {
  const interval = intervalOf(`1,1,0,${ENCODED}`);
  interval.histogram().record(1);
  expect(interval.histogram().totalCount).toBe(1);
});

test('has a histogram of doubles if the line holds doubles', () => {
  const interval = intervalOf(DOUBLES);
  expect(interval.isDouble).toBe(true);
  expect(interval.histogram()).toBeInstanceOf(DoubleHistogram);
  expect(interval.histogram().max).toBeCloseTo(2.5, 2);
});

test('truncates times to whole milliseconds, as Java does', () => {
  const { startTimeMs, endTimeMs } = intervalOf(`1.0009,0.0005,0,${ENCODED}`);
  expect([startTimeMs, endTimeMs]).toEqual([1000, 1001]);
});

test('widens the times of the histogram that it is added to', () => {
  const sum = new Histogram({ autoResize: true });
  for (const start of [7, 5, 6]) intervalOf(`${start},1,0,${ENCODED}`).addTo(sum);
  expect([sum.totalCount, sum.max, sum.startTimeMs, sum.endTimeMs]).toEqual([3, 42, 5000, 8000]);
  const all = new DoubleHistogram();
  intervalOf(DOUBLES).addTo(all);
  expect([all.totalCount, all.startTimeMs]).toEqual([1, 1000]);
});

test('cannot be added to a histogram of the other kind', () => {
  expect(() => intervalOf(DOUBLES).addTo(new Histogram())).toThrow(
    'line 1: a histogram of doubles cannot be added to one of integers',
  );
  expect(() => intervalOf(`1,1,0,${ENCODED}`).addTo(new DoubleHistogram())).toThrow(
    'line 1: a histogram of integers cannot be added to one of doubles',
  );
});

test.each(['HISTFAAA', 'x', '!!!!', ENCODED.slice(0, -8), `DHIST${ENCODED.slice(5)}`])(
  'names its line when %j cannot be decoded, and adds no counts',
  (encoded) => {
    const [, entry] = entriesOf(`#\n1,1,0,${encoded}`);
    const interval = entry as LogInterval;
    const target = interval.isDouble ? new DoubleHistogram() : new Histogram();
    const refused = expect.objectContaining({
      name: 'HdrscopeError',
      code: 'ERR_LOG_FORMAT',
      message: expect.stringMatching(/^line 2: /),
      details: expect.objectContaining({ line: 2, field: 'histogram' }),
    });
    expect(() => interval.histogram()).toThrow(refused);
    expect(() => interval.addTo(target)).toThrow(refused);
    expect([target.totalCount, target.startTimeMs]).toEqual([0, undefined]);
  },
);
