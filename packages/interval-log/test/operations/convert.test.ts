import { DoubleHistogram } from '@hdrscope/core';
import { convertToV2, formatInterval } from '@hdrscope/interval-log';
import { decodeIntervals } from '@hdrscope/interval-log/internal';
import { bytes } from '../support/read.ts';
import { intervalLine, intervalsOf, logText, textOf } from './support/logs.ts';

// Two values of 1, in the V0 encoding, made by jHiccup 2.0.1.
const V0_LINE =
  '1.121,1.000,0.442,HISTiQAAAGR42pNpmdzBwMDAxAAGfgoMDMxuBjsWQLgMTA+hDEY0mhVKc0BpdijNAqW50NSx4dDPhqafDYf5OlDaGEpLQmleNPs8oLQy1LoYVD5cPcydUH+PglEwCkbBKBgFowAZAABAZwbC\n';

test('converts old encodings and copies current ones', async () => {
  const today = intervalLine({ tag: 'a', at: 3, values: [5] });
  const text = `#[Histogram log format version 1.01]\n"StartTimestamp","EndTimestamp"\n${V0_LINE}${today}`;
  const converted = await textOf(convertToV2(bytes(text)));

  const [version, legend, line, copy] = converted.split('\n');
  expect(version).toBe('#[Histogram log format version 1.3]');
  expect(legend).toBe('"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"');
  expect(line).toMatch(/^1\.121,1\.000,0\.442,HISTFAAA/);
  expect(`${copy}\n`).toBe(today);
  const [before, after] = [await intervalsOf(text), await intervalsOf(converted)];
  expect(after.map((interval) => [...interval.histogram().recordedValues()])).toEqual(
    before.map((interval) => [...interval.histogram().recordedValues()]),
  );
});

test('keeps doubles', async () => {
  const doubles = new DoubleHistogram();
  doubles.record(0.25);
  const text = formatInterval(doubles, { startSec: 1, endSec: 2 });
  const [interval] = await intervalsOf(await textOf(convertToV2(bytes(text))));
  expect(interval?.isDouble && interval.histogram().totalCount).toBe(1);
});

test('leaves out histograms that cannot be decoded, and reports them', async () => {
  const text = `1,1,0,HISTFAAAno\n${logText([{ at: 2, values: [1] }])}`;
  const messages: string[] = [];
  const converted = await textOf(
    convertToV2(bytes(text), { onMalformed: ({ error }) => messages.push(error.message) }),
  );
  expect(messages).toEqual([expect.stringMatching(/^line 1: /)]);
  expect(await intervalsOf(converted)).toHaveLength(1);
});

test('decodeIntervals yields the selected intervals with their histograms', async () => {
  const text = logText([
    { tag: 'a', at: 1, values: [1] },
    { tag: 'b', at: 1, values: [2, 3] },
  ]);
  const found: unknown[] = [];
  for await (const { interval, histogram } of decodeIntervals(bytes(text), { tags: ['b'] })) {
    found.push([interval.tag, histogram.totalCount]);
  }
  expect(found).toEqual([['b', 2]]);
});

test('keeps the fields after a histogram, old or current', async () => {
  const encoded = V0_LINE.trimEnd().split(',').at(-1)!;
  const [head, converted] = (await textOf(convertToV2(bytes(V0_LINE)))).trimEnd().split(/,(?=HIST)/);
  expect(await textOf(convertToV2(bytes(`  ${head} ${encoded} x,${encoded} \n`)))).toBe(
    `  ${head} ${converted} x,${encoded}\n`,
  );
  // The tag looks like the histogram.
  expect(await textOf(convertToV2(bytes(`Tag=${encoded},${head},${encoded},y\n`)))).toBe(
    `Tag=${encoded},${head},${converted},y\n`,
  );
  const today = intervalLine({ at: 3, values: [5] }).trimEnd();
  expect(await textOf(convertToV2(bytes(`${today},x y\n`)))).toBe(`${today},x y\n`);
});
