import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import * as ours from '../src/index.ts';
import { peer, peerModule } from './support/peer.ts';

// What hdr-histogram-js answers is the law of this package.
const theirs = peer;

beforeAll(() => {
  ours.initWebAssemblySync();
  theirs.initWebAssemblySync();
});

const PERCENTILES = [0, 1, 25, 50, 75, 90, 97.5, 99, 99.9, 99.99, 99.999, 100];

/** All that a histogram answers. */
function answers(histogram: ours.Histogram): object {
  const { totalCount, mean, stdDeviation, maxValue, minNonZeroValue, highestTrackableValue, tag } = histogram;
  return {
    ...{ totalCount, maxValue, minNonZeroValue, highestTrackableValue, tag },
    // Sums of doubles in another order.
    mean: mean.toPrecision(12),
    stdDeviation: stdDeviation.toPrecision(9),
    summary: histogram.summary,
    json: JSON.stringify(histogram),
    percentiles: PERCENTILES.map((percentile) => histogram.getValueAtPercentile(percentile)),
    times: [histogram.startTimeStampMsec, histogram.endTimeStampMsec],
  };
}

/**
 * Where the lowest discernible value is above 1, the maximum of theirs is too large (see `differences.test.ts`), and a sum without a value
 * above 0 has 2^53 - 1 rounded down to a slot as its smallest one.
 */
function answersWithoutMax(histogram: ours.Histogram): object {
  const minNonZeroValue = Math.min(histogram.minNonZeroValue, 2 ** 52);
  return {
    ...answers(histogram),
    minNonZeroValue,
    maxValue: 0,
    json: '',
    summary: { ...histogram.summary, max: 0 },
  };
}

const digits = fc.integer({ min: 1, max: 3 });
const lowest = fc.constantFrom(1, 1, 1, 10, 1000);
const value = fc.oneof(
  fc.integer({ min: 0, max: 3000 }),
  fc.integer({ min: 0, max: 10_000_000 }),
  fc.integer({ min: 0, max: 2 ** 40 }),
);
const request = fc.record({
  numberOfSignificantValueDigits: digits,
  lowestDiscernibleValue: lowest,
  bitBucketSize: fc.constantFrom<ours.BitBucketSize>(32, 64),
  useWebAssembly: fc.constant(false),
});

function both(options: ours.BuildRequest): [ours.Histogram, ours.Histogram] {
  const full = { ...options, highestTrackableValue: 2 * (options.lowestDiscernibleValue ?? 1) };
  return [ours.build(full), theirs.build(full)];
}

test('the same records give the same answers and the same text', () => {
  fc.assert(
    fc.property(request, fc.array(value, { maxLength: 60 }), (options, values) => {
      const [one, other] = both(options);
      for (const histogram of [one, other]) for (const each of values) histogram.recordValue(each);
      expect(answers(one)).toEqual(answers(other));
      expect(`${one}`).toBe(`${other}`);
    }),
    { numRuns: caseCount(40, 100) },
  );
});

test('values with fractions give the same answers', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { maxLength: 20 }), (values) => {
      const [one, other] = both({});
      for (const histogram of [one, other]) for (const each of values) histogram.recordValue(each);
      expect(answers(one)).toEqual(answers(other));
    }),
    { numRuns: caseCount(40, 100) },
  );
});

test('the same corrections of coordinated omission give the same answers', () => {
  const records = fc.array(
    fc.record({
      value: fc.integer({ min: 0, max: 20_000 }),
      interval: fc.constantFrom(-1, 0, 100, 333, 12.5),
      count: fc.integer({ min: 1, max: 5 }),
    }),
    { maxLength: 10 },
  );
  fc.assert(
    fc.property(digits, records, (numberOfSignificantValueDigits, all) => {
      const [one, other] = both({ numberOfSignificantValueDigits });
      for (const histogram of [one, other]) {
        for (const { value: each, interval, count } of all) {
          histogram.recordValueWithExpectedInterval(each, interval);
          histogram.recordValueWithCount(each, count);
        }
      }
      expect(answers(one)).toEqual(answers(other));
      const [copy, otherCopy] = [one, other].map((each) => each.copyCorrectedForCoordinatedOmission(100));
      expect(answers(copy!)).toEqual(answers(otherCopy!));
    }),
    { numRuns: caseCount(40, 100) },
  );
});

test.each([
  [[], undefined, undefined, false],
  [[25, 50, 75], undefined, undefined, false],
  [[1, 2, 3, 1000, 123_456], 5, 1000, false],
  [[1, 2, 3, 1000, 123_456], 2, 3, true],
] as const)('the printed distribution of %j is the same', (values, ticks, scale, isCsv) => {
  const [one, other] = both({});
  for (const histogram of [one, other]) for (const each of values) histogram.recordValue(each);
  const text = (histogram: ours.Histogram) => histogram.outputPercentileDistribution(ticks, scale, isCsv);
  expect(text(one)).toBe(text(other));
});

test('each reads what the other encodes', () => {
  fc.assert(
    fc.property(request, fc.array(value, { maxLength: 40 }), (options, values) => {
      // Theirs writes more slots than the range has where the lowest discernible value is above 1.
      const [one, other] = both({ ...options, lowestDiscernibleValue: 1 });
      for (const histogram of [one, other]) for (const each of values) histogram.recordValue(each);
      const encoded = ours.encodeIntoCompressedBase64(one);
      expect(answers(ours.decodeFromCompressedBase64(theirs.encodeIntoCompressedBase64(other)))).toEqual(
        answers(ours.decodeFromCompressedBase64(encoded)),
      );
      const back = theirs.decodeFromCompressedBase64(encoded);
      const percentiles = (histogram: ours.Histogram) =>
        PERCENTILES.map((each) => histogram.getValueAtPercentile(each));
      expect(percentiles(back)).toEqual(percentiles(one));
      expect(back.totalCount).toBe(one.totalCount);
    }),
    { numRuns: caseCount(40, 100) },
  );
});

test('sums and differences of histograms of one shape give the same answers', () => {
  const values = fc.array(fc.integer({ min: 0, max: 2 ** 40 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(request, values, values, (options, first, second) => {
      const shape = { ...options, highestTrackableValue: 2 ** 41 };
      const sums = [ours, theirs].map((hdr) => {
        const [a, b] = [hdr.build(shape), hdr.build(shape)];
        for (const each of first) a.recordValue(each);
        for (const each of second) b.recordValue(each);
        a.startTimeStampMsec = 100;
        [b.startTimeStampMsec, b.endTimeStampMsec] = [50, 200];
        a.add(b);
        return [a, b] as const;
      });
      const [[sum, part], [otherSum, otherPart]] = sums as [(typeof sums)[0], (typeof sums)[0]];
      // Theirs adds the width of a slot to the maximum at each sum.
      const isExact = options.lowestDiscernibleValue === 1;
      const comparable = isExact ? answers : answersWithoutMax;
      expect(comparable(sum)).toEqual(comparable(otherSum));
      sum.subtract(part);
      otherSum.subtract(otherPart);
      expect(PERCENTILES.map((each) => sum.getValueAtPercentile(each))).toEqual(
        PERCENTILES.map((each) => otherSum.getValueAtPercentile(each)),
      );
      expect(sum.totalCount).toBe(otherSum.totalCount);
    }),
    { numRuns: caseCount(40, 100) },
  );
});

test('the steps of recorded values are the same', () => {
  const TheirIterator = peerModule<typeof ours.RecordedValuesIterator>('dist/RecordedValuesIterator');
  const [one, other] = both({});
  for (const histogram of [one, other])
    for (const each of [0, 5, 5, 70_000, 123_456_789]) histogram.recordValue(each);
  const steps = (iterator: ours.RecordedValuesIterator) => {
    const all: object[] = [];
    while (iterator.hasNext()) all.push({ ...iterator.next() });
    return all;
  };
  const expected = steps(new TheirIterator(other as ours.JsHistogram));
  expect(expected).toHaveLength(4);
  const iterator = new ours.RecordedValuesIterator(one as ours.JsHistogram);
  expect(steps(iterator)).toEqual(expected);
  iterator.reset();
  expect(steps(iterator)).toEqual(expected);
});

test('intervals of a recorder are the same', () => {
  const intervals = [ours, theirs].map((hdr) => {
    let nowMs = 1000;
    const recorder = new hdr.Recorder({ numberOfSignificantValueDigits: 3 }, () => (nowMs += 10));
    const seen: object[] = [];
    recorder.recordValue(5);
    recorder.recordValueWithCount(7, 3);
    const first = recorder.getIntervalHistogram();
    seen.push(answers(first));
    recorder.recordValueWithExpectedInterval(1000, 300);
    seen.push(answers(recorder.getIntervalHistogram(first)));
    recorder.recordValue(9);
    const into = hdr.build();
    recorder.getIntervalHistogramInto(into);
    seen.push(answers(into));
    recorder.recordValue(11);
    recorder.reset();
    seen.push(answers(recorder.getIntervalHistogram()));
    return seen;
  });
  expect(intervals[0]).toEqual(intervals[1]);
});

const LOG = `#[Histogram log format version 1.3]
#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 08:24:39 PDT 2015]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
0.127,1.007,2.769,HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkhIR4nrxg9v2lMaxhvMekILGZkKmcCAEf2CsI=
Tag=A,0.127,1.007,2.769,HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkhIR4nrxg9v2lMaxhvMekILGZkKmcCAEf2CsI=
1.134,0.999,0.0,HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkhIR4nrxg9v2lMaxhvMekILGZkKmcCAEf2CsI=
`;

test.each([
  ['as it is', LOG, [0]],
  ['in a range', LOG, [0.5, 1.5]],
  [
    'with a base time',
    LOG.replace('"Start', '#[BaseTime: 1441812123.000 (seconds since epoch)]\n"Start'),
    [0],
  ],
  ['without its head', LOG.replace(/^#.*\n/gm, ''), [0]],
  ['with CRLF and blanks', LOG.replaceAll('\n', ' \r\n'), [0]],
])('a log is read as there: %s', (_what, log, range) => {
  const read = [ours, theirs].map((hdr) => {
    const reader = new hdr.HistogramLogReader(log);
    const all: object[] = [];
    for (;;) {
      const histogram = reader.nextIntervalHistogram(...(range as [number, number]));
      if (histogram === null) break;
      all.push(answersWithoutMax(histogram));
    }
    const { startTimeSec, baseTimeSec } = reader;
    return { all, startTimeSec, baseTimeSec, tags: hdr.listTags(log) };
  });
  expect(read[0]).toEqual(read[1]);
  expect(read[0]!.all.length).toBeGreaterThan(0);
});

test('lines of a log are written as there, but for the level of compression', () => {
  const written = [ours, theirs].map((hdr) => {
    const lines: string[] = [];
    const writer = new hdr.HistogramLogWriter((line) => void lines.push(line));
    const histogram = hdr.build();
    [histogram.startTimeStampMsec, histogram.endTimeStampMsec] = [1_234_001, 1_235_123];
    histogram.recordValue(123_000);
    writer.outputLogFormatVersion();
    writer.outputLegend();
    writer.outputStartTime(1_234_560);
    writer.outputComment('a note');
    writer.baseTime = 1_000_000;
    writer.outputIntervalHistogram(histogram);
    histogram.tag = 'A';
    writer.outputIntervalHistogram(histogram, 1000.0119, 1042.013, 2);
    return lines.map((line) => line.replace(/HISTF.*/, 'HISTF').trimEnd());
  });
  expect(written[0]).toEqual(written[1]);
});

test('bytes of a ByteBuffer are the same', () => {
  const bytes = [ours, theirs].map((hdr) => {
    const buffer = hdr.ByteBuffer.allocate(2);
    buffer.put(7);
    buffer.putInt32(0x1c849303);
    buffer.putInt64(2 ** 40 + 5);
    buffer.putArray(Uint8Array.of(1, 2, 3));
    const { position } = buffer;
    const written = [...buffer.data.slice(0, position)];
    buffer.resetPosition();
    return { position, written, read: [buffer.get(), buffer.getInt32(), buffer.getInt64()] };
  });
  expect(bytes[0]).toEqual(bytes[1]);
});

test('histograms with useWebAssembly give the same answers', () => {
  const shape = { useWebAssembly: true, bitBucketSize: 64, autoResize: true } as const;
  const [one, other] = [ours.build(shape), theirs.build(shape)];
  for (const histogram of [one, other]) {
    for (let i = 0; i < 1000; i++) histogram.recordValue((i * 7919) % 100_003);
    histogram.recordValueWithExpectedInterval(50_000, 100);
  }
  const { summary, maxValue, minNonZeroValue, totalCount } = one;
  expect({ summary, maxValue, minNonZeroValue, totalCount }).toEqual({
    summary: other.summary,
    maxValue: other.maxValue,
    minNonZeroValue: other.minNonZeroValue,
    totalCount: other.totalCount,
  });
  expect(one.mean).toBeCloseTo(other.mean, 6);
  // Its WebAssembly prints 39.100 for 40.00 in the last column.
  const text = (histogram: ours.Histogram) =>
    histogram.outputPercentileDistribution().replace(/(\d) +\d+\.\d+$/gm, '$1');
  expect(text(one)).toBe(text(other));
  for (const histogram of [one, other]) {
    expect(`${histogram}`).toMatch(/^WASM Histogram64 \{/);
    histogram.destroy();
    expect(() => histogram.recordValue(1)).toThrow('Cannot use a destroyed histogram');
    expect(() => histogram.totalCount).toThrow('Cannot use a destroyed histogram');
    expect(`${histogram}`).toBe('Destroyed WASM histogram');
  }
});

test('values between 0 and 1 print nothing, as there', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const histogram = ours.build();
  for (let i = 0; i < 1000; i++) histogram.recordValue(i / 1000);
  histogram.recordValueWithCount(0.5, 1000);
  // A warning comes in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
  expect(histogram.totalCount).toBe(2000);
});
