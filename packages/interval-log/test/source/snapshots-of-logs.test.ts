import { Histogram } from '@hdrscope/core';
import { fromTicks } from '@hdrscope/core/internal';
import type { Snapshot } from '@hdrscope/registry';
import { formatInterval, type LogEntry, readEntries, snapshotsOfLogs } from '../../src/index.ts';
import type { RecordedLog } from '../../src/internal.ts';

const FAMILY = { name: 'latency', unit: 's', resolution: 1e-9, significantDigits: 3 };
const seriesOf = ({ tag }: { readonly tag: string | undefined }) => ({
  family: FAMILY,
  attributes: tag === undefined ? {} : { tag },
});

function line(startSec: number, endSec: number, values: readonly number[], tag?: string): string {
  const histogram = new Histogram({ autoResize: true, significantDigits: 3 });
  for (const value of values) histogram.record(value);
  return formatInterval(histogram, { startSec, endSec, tag });
}

const entriesOf = (...lines: readonly string[]): AsyncIterable<LogEntry> =>
  readEntries(new TextEncoder().encode(lines.join('')));

/** The time of a snapshot in seconds, and the counts of its series by their attributes. */
function seen({ timeMs, families }: Snapshot): readonly [number, Readonly<Record<string, number>>] {
  const all = families.flatMap(({ series }) => series);
  return [
    timeMs / 1000,
    Object.fromEntries(all.map(({ attributes, counts }) => [Object.values(attributes).join(), counts.total])),
  ];
}

async function allOf(snapshots: AsyncIterable<Snapshot>) {
  const all = [];
  for await (const snapshot of snapshots) all.push(seen(snapshot));
  return all;
}

test('there is a snapshot at the start and at the end of each interval, with everything that was counted until then', async () => {
  const entries = entriesOf(
    line(1000, 1010, [5, 6], 'get'),
    line(1000, 1010, [7], 'put'),
    line(1010, 1020, [5], 'get'),
    line(1050, 1055, [9, 9], 'put'),
  );
  expect(await allOf(snapshotsOfLogs([{ entries, seriesOf }]))).toEqual([
    [1000, {}],
    [1010, { get: 2, put: 1 }],
    [1020, { get: 3, put: 1 }],
    [1050, { get: 3, put: 1 }],
    [1055, { get: 3, put: 3 }],
  ]);
});

test('the times of several logs are one', async () => {
  const log = (file: string, ...lines: string[]) => ({
    entries: entriesOf(...lines),
    seriesOf,
    attributes: { file },
  });
  const snapshots = snapshotsOfLogs([
    log('a', line(1000, 1010, [1]), line(1020, 1030, [1])),
    log('b', line(1010, 1020, [1]), line(1020, 1031, [1, 1])),
    log('empty'),
  ]);
  expect(await allOf(snapshots)).toEqual([
    [1000, {}],
    [1010, { a: 1 }],
    [1020, { a: 1, b: 1 }],
    [1031, { a: 2, b: 3 }],
  ]);
});

test.each(['ab', 'ba'])(
  'logs of other digits and other steps share a family, and each value lies in its bounds, in the order %s',
  async (order) => {
    const logOf: Record<string, () => RecordedLog> = {
      a: () => log('a', { ...FAMILY, significantDigits: 3 }, 1_234_567_890, 3),
      b: () => log('b', { ...FAMILY, resolution: 1e-6, significantDigits: 1 }, 1_234_567, 1),
    };
    const log = (
      file: string,
      family: typeof FAMILY,
      ticks: number,
      significantDigits: number,
    ): RecordedLog => {
      const histogram = new Histogram({ autoResize: true, significantDigits });
      histogram.record(ticks);
      return {
        entries: entriesOf(formatInterval(histogram, { startSec: 1000, endSec: 1010 })),
        seriesOf: () => ({ family, attributes: { file } }),
      };
    };
    let last: Snapshot | undefined;
    for await (const snapshot of snapshotsOfLogs([...order].map((name) => logOf[name]!()))) last = snapshot;
    const [family] = last!.families;
    expect([family!.layout.significantDigits, fromTicks(family!.resolution, 1)]).toEqual([3, 1e-9]);
    const boundsOf = (file: string) => {
      const series = family!.series.find(({ attributes }) => attributes.file === file)!;
      const slot = series.counts.first;
      const { first, last } = series.reaches?.get(slot) ?? { first: slot, last: slot };
      return [series.counts.total, family!.unitLayout.lower(first), family!.unitLayout.upper(last)];
    };
    expect(boundsOf('a')).toEqual([1, 1.234173952, 1.235222527]);
    const [count, lower, upper] = boundsOf('b');
    expect(count).toBe(1);
    // The slot of one digit has the values from 1,179,648 to 1,245,183 microseconds.
    expect(lower).toBeLessThanOrEqual(1.179648);
    expect(lower).toBeGreaterThan(1.178);
    expect(upper).toBeGreaterThanOrEqual(1.245183);
    expect(upper).toBeLessThan(1.246);
  },
);

test('an interval that ends before the last one is counted all the same, and times do not go back', async () => {
  const entries = entriesOf(line(1000, 1100, [1]), line(1010, 1020, [1]), line(1200, 1210, [1]));
  expect(await allOf(snapshotsOfLogs([{ entries, seriesOf }]))).toEqual([
    [1000, {}],
    [1100, { '': 1 }],
    [1100.001, { '': 2 }],
    [1200, { '': 2 }],
    [1210, { '': 3 }],
  ]);
});

test('the last interval of a log that waits is complete after a while', async () => {
  let goOn = (): void => {};
  async function* entries(): AsyncGenerator<LogEntry> {
    yield* entriesOf(line(1000, 1010, [1]));
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    yield* entriesOf(line(1010, 1020, [1]));
  }
  const snapshots = snapshotsOfLogs([{ entries: entries(), seriesOf }], { idleMs: 20 });
  const next = async () => seen((await snapshots.next()).value as Snapshot);
  expect(await next()).toEqual([1000, {}]);
  expect(await next()).toEqual([1010, { '': 1 }]);
  goOn();
  expect(await next()).toEqual([1020, { '': 2 }]);
  expect((await snapshots.next()).done).toBe(true);
});

test('a log reports its result at its end, and goes on after broken lines', async () => {
  const results: unknown[] = [];
  const entries = entriesOf(line(1000, 1010, [1]), 'broken\n', line(1010, 1020, [1], 'x'));
  const isKnown = ({ tag }: { readonly tag: string | undefined }) =>
    tag === undefined ? seriesOf({ tag }) : undefined;
  const log = { entries, seriesOf: isKnown, onEnd: (result: unknown) => results.push(result) };
  expect(await allOf(snapshotsOfLogs([log]))).toHaveLength(3);
  expect(results).toEqual([{ merged: 1, leftOut: 1, malformed: 1 }]);
});

test('an error that comes while a snapshot is shown is not lost', async () => {
  let fail = (): void => {};
  async function* entries(): AsyncGenerator<LogEntry> {
    yield* entriesOf(line(1000, 1010, [1]));
    await new Promise<never>((_, reject) => {
      fail = () => reject(new Error('the disk is gone'));
    });
  }
  const snapshots = snapshotsOfLogs([{ entries: entries(), seriesOf }], { idleMs: 20 });
  await snapshots.next();
  expect(seen((await snapshots.next()).value as Snapshot)).toEqual([1010, { '': 1 }]);
  fail();
  await new Promise((resolve) => setImmediate(resolve));
  await expect(snapshots.next()).rejects.toThrow('the disk is gone');
});

test('logs are closed when nobody wants more snapshots, and when one of them fails', async () => {
  const closed: string[] = [];
  async function* entries(name: string, error?: Error): AsyncGenerator<LogEntry> {
    try {
      yield* entriesOf(line(1000, 1010, [1]), line(1010, 1020, [1]));
      if (error !== undefined) throw error;
    } finally {
      closed.push(name);
    }
  }
  for await (const _ of snapshotsOfLogs([{ entries: entries('a'), seriesOf }])) break;
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toEqual(['a']);
  async function* endless(): AsyncGenerator<LogEntry> {
    try {
      for (let second = 1000; ; second += 10) yield* entriesOf(line(second, second + 10, [1], 'x'));
    } finally {
      closed.push('endless');
    }
  }
  const failing = snapshotsOfLogs([
    { entries: entries('b', new Error('no')), seriesOf },
    { entries: endless(), seriesOf },
  ]);
  await expect(allOf(failing)).rejects.toThrow('no');
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toEqual(['a', 'b', 'endless']);
});

test('a log without intervals has no snapshot', async () => {
  expect(await allOf(snapshotsOfLogs([{ entries: entriesOf('#nothing\n') }]))).toEqual([]);
});

test('a long log has as many snapshots as are wanted and some more, and all counts', async () => {
  const lines = Array.from({ length: 2000 }, (_, second) => line(second + 1, second + 2, [1]));
  const all = await allOf(
    snapshotsOfLogs([{ entries: entriesOf(...lines), seriesOf }], { maxSnapshots: 100 }),
  );
  expect(all.length).toBeGreaterThan(100);
  // Each time when the log is twice as long, fifty more.
  expect(all.length).toBeLessThan(100 + 50 * 6);
  expect(all.at(-1)).toEqual([2001, { '': 2000 }]);
  all.forEach(([second, counts]) => {
    expect(counts['']).toBe(second === 1 ? undefined : second - 1);
  });
  const wrong = snapshotsOfLogs([], { maxSnapshots: 1 });
  await expect(wrong.next()).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
});

test('intervals share snapshots as soon as there are as many as are wanted, and not before', async () => {
  const lines = [1, 2, 3, 4, 5, 6].map((second) => line(second, second + 1, [1]));
  const all = await allOf(snapshotsOfLogs([{ entries: entriesOf(...lines), seriesOf }], { maxSnapshots: 5 }));
  expect(all.map(([second]) => second)).toEqual([1, 2, 3, 4, 5, 7]);
});
