import { gzipSync } from 'node:zlib';
import { DoubleHistogram, formatPercentiles, Histogram } from '@hdrscope/core';
import {
  FORMAT_VERSION_LINE,
  formatInterval,
  LEGEND_LINE,
  type ReadHistogram,
  readHistograms,
} from '../../src/index.ts';
import { all, bytes, inChunks } from '../support/read.ts';

function histogramOf(value: number, count: number): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000_000, significantDigits: 3 });
  histogram.record(value, count);
  return histogram;
}

async function readAll(content: string | Uint8Array, chunkBytes = 1000): Promise<ReadHistogram[]> {
  const whole = typeof content === 'string' ? bytes(content) : content;
  return all(readHistograms(inChunks(whole, chunkBytes)));
}

const LINES = Array.from({ length: 3 }, (_, second) =>
  formatInterval(histogramOf(1_000_000 * (second + 1), 5), {
    startSec: second,
    endSec: second + 1,
    tag: 'get',
  }),
);
const LOG = FORMAT_VERSION_LINE + LEGEND_LINE + LINES.join('');

test.each([
  ['a log', LOG],
  ['a compressed log', gzipSync(LOG)],
])('reads %s interval by interval', async (_, content) => {
  for (const chunkBytes of [1, 7, 100_000]) {
    const read = await readAll(content, chunkBytes);

    expect(read.map(({ tag, startSec, lengthSec }) => [tag, startSec, lengthSec])).toEqual([
      ['get', 0, 1],
      ['get', 1, 1],
      ['get', 2, 1],
    ]);
    expect(read.map(({ histogram }) => histogram!.totalCount)).toEqual([5, 5, 5]);
  }
});

test('percentile text that states its unit is converted', async () => {
  const text = 'Value(us) Percentile TotalCount 1/(1-Percentile)\n1500.000 1.0 1 inf\n';
  const [read] = await readAll(text);
  expect(read!.histogram!.valuesAreEquivalent(1_500_000, read!.histogram!.max)).toBe(true);
});

test('reads percentile text as one interval without a time', async () => {
  const text = formatPercentiles(histogramOf(5_000_000, 7), { valueScale: 1e6 });

  const [read, ...others] = await readAll(text);

  expect(others).toEqual([]);
  expect(read).toMatchObject({ tag: undefined, startSec: 0, lengthSec: 0 });
  expect([
    read!.histogram!.totalCount,
    read!.histogram!.valuesAreEquivalent(5_000_000, read!.histogram!.max),
  ]).toEqual([7, true]);
});

test('a damaged interval and one of doubles have no histogram', async () => {
  const doubles = new DoubleHistogram({ significantDigits: 2 });
  doubles.record(0.5);
  const line = formatInterval(doubles, { startSec: 3, endSec: 4 });
  const damaged = LINES[0]!.replace(/HIST.*/, 'HISTAAAA');

  const read = await readAll(LOG + line + damaged);

  expect(read.map(({ histogram }) => histogram?.totalCount)).toEqual([5, 5, 5, undefined, undefined]);
});

test.each([
  ['milk\neggs\n', 'it must be an interval log or percentile text, and has no interval'],
  ['', 'it must be an interval log or percentile text, and has no interval'],
  [
    'Value Percentile\n1 0.5\n',
    'it has percentiles without counts, so the number of values is unknown: print it with counts',
  ],
  [
    '"Timestamp","Int_Count","Int_50%"\n',
    'it has percentiles of intervals, which cannot be added up: use the log itself',
  ],
])('refuses %j', async (text, message) => {
  await expect(readAll(text)).rejects.toMatchObject({ code: 'ERR_LOG_FORMAT', message });
});

test('refuses percentile text of 64 MiB, also when it has half as many characters', async () => {
  const text = formatPercentiles(histogramOf(5_000_000, 7), { valueScale: 1e6 });
  async function* source() {
    yield bytes(text);
    for (let i = 0; i < 64; i++) yield bytes('ä'.repeat(2 ** 19));
  }
  await expect(all(readHistograms(source()))).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
});

test('closes its source when the consumer stops', async () => {
  let isClosed = false;
  async function* source() {
    try {
      for (;;) yield bytes(LOG);
    } finally {
      isClosed = true;
    }
  }

  for await (const _ of readHistograms(source())) break;

  expect(isClosed).toBe(true);
});
