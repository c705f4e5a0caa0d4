import { DoubleHistogram, Histogram } from '@hdrscope/core';
import { addedValues } from '../../src/processor/correction.ts';
import { formatInterval } from '../../src/writer/format.ts';
import { runInMemory } from './support.ts';

const CORRECT = '-correctLogWithKnownCoordinatedOmission';

function logOf(...intervals: readonly (readonly [tag: string | undefined, value: number])[]): string {
  return intervals
    .map(([tag, value], i) => {
      const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
      histogram.record(value, 10);
      return formatInterval(histogram, { tag, startSec: i + 1, endSec: i + 2 });
    })
    .join('');
}

function totalIn(text: string): number {
  return Number(/Total count {4}= +(\d+)/.exec(text)?.[1]);
}

test('addedValues equals the number of values that a correction adds', () => {
  const histogram = new Histogram({ highestTrackableValue: 100_000 });
  const doubles = new DoubleHistogram();
  for (const value of [1, 99, 100, 250, 1000]) {
    histogram.record(value, 3);
    doubles.record(value, 3);
  }
  expect(histogram.totalCount + addedValues(histogram, 100)).toBe(histogram.copyCorrected(100).totalCount);
  expect(doubles.totalCount + addedValues(doubles, 100)).toBe(doubles.copyCorrected(100).totalCount);
});

test('an expected interval in the wrong unit is refused at once', async () => {
  const logs = { log: logOf([undefined, 4e9], [undefined, 60e9]) };
  const { exitCode, stderr, stdout } = await runInMemory(['-i', 'log', CORRECT, '1'], { logs });

  expect([exitCode, totalIn(stdout)]).toEqual([1, Number.NaN]);
  expect(stderr).toMatch(
    /an expected interval of 1 would add 4\d{10} values by line 1, and at most 10000000000 are added to a log: .* raw unit .* Did you mean 1000000 for 1 ms\?\n$/,
  );
});

test('the limit of added values holds for the log, not for each interval', async () => {
  const interval = [undefined, 1e9] as const;
  const logs = { few: logOf(interval), many: logOf(...Array.from({ length: 12 }, () => interval)) };

  expect(await runInMemory(['-i', 'few', CORRECT, '10'], { logs })).toMatchObject({ exitCode: 0 });
  const { stderr } = await runInMemory(['-i', 'many', CORRECT, '10'], { logs });
  expect(stderr).toContain('values by line 10,');
});

test('an expected interval below 1 does not correct integers', async () => {
  const logs = { log: logOf([undefined, 1e6]) };
  const plain = await runInMemory(['-i', 'log'], { logs });
  expect(await runInMemory(['-i', 'log', CORRECT, '0.9'], { logs })).toEqual(plain);
});

test('without -tag, the correction counts intervals of all tags and prints a note', async () => {
  const logs = { log: logOf(['A', 2000], [undefined, 4000], ['A', 1000]) };
  const all = await runInMemory(['-i', 'log', CORRECT, '1000'], { logs });
  const tagged = await runInMemory(['-i', 'log', CORRECT, '1000', '-tag', 'A'], { logs });

  expect([totalIn(all.stdout), all.stderr]).toEqual([
    70,
    'The correction counts intervals of all tags, as HdrHistogram does; -tag TAG counts intervals of one tag.\n',
  ]);
  expect([totalIn(tagged.stdout), tagged.stderr]).toEqual([30, '']);
});
