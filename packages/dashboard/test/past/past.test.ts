import {
  appendFile,
  type FileHandle,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { countedIn, explicitLayout } from '@hdrscope/core';
import { Slices } from '@hdrscope/kit';
import { type FamilyOptions, ingest } from '@hdrscope/registry';
import { recordSample } from '@hdrscope/registry/internal';
import fc from 'fast-check';
import type { HistoryLimits } from '../../src/history/history.ts';
import type { PastFacts } from '../../src/messages.ts';
import { encodeFrame } from '../../src/past/frames.ts';
import { Past } from '../../src/past/past.ts';
import { START_MS, TimedPage } from '../support-history.ts';

let folder: string;
const errors: Error[] = [];
const pasts: Past[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'past-'));
  errors.length = 0;
});

afterEach(async () => {
  for (const past of pasts.splice(0)) await past.close(new TimedPage().history);
  await rm(folder, { recursive: true });
});

/** A page whose history a folder keeps, at a time that the test sets. */
class KeptPage extends TimedPage {
  readonly past: Past;
  #monotonicMs = 0;

  constructor(limits: Partial<HistoryLimits> = {}, own = folder) {
    super(limits);
    this.past = new Past({
      ...{ folder: own, mostBytes: limits.mostBytes ?? 2 ** 26, monotonicMs: () => this.#monotonicMs },
      everyMs: 10_000,
      onError: (error) => errors.push(error),
      onRecovery: () => {},
    });
    pasts.push(this.past);
  }

  static async open(
    nowMs: number = START_MS,
    limits: Partial<HistoryLimits> = {},
    own = folder,
  ): Promise<KeptPage> {
    const page = new KeptPage(limits, own);
    page.nowMs = nowMs;
    const earlier = await page.past.open(nowMs);
    if (earlier !== undefined) {
      await page.history.restore(earlier.history, earlier.later);
      await page.table.restore(page.history.series);
    }
    await page.update();
    return page;
  }

  /** Ends an interval. Without `isWritten`, it waits in memory, as within ten seconds after a write. */
  async passOn(ms: number, isWritten = true): Promise<void> {
    this.nowMs += ms;
    await this.table.update(await this.registry.gather());
    const { startMs, snapshot } = this.table;
    const interval = await this.history.add(startMs, snapshot.timeMs, this.table.increases());
    if (isWritten) this.#monotonicMs += 400_000;
    this.past.note(interval, this.history);
    await this.past.idle();
  }

  /** Ends as a killed process does: nothing more is written. */
  async kill(): Promise<void> {
    await this.past.abandon();
  }
}

const shownIn = ({ history, table }: TimedPage) => ({
  intervals: history.intervals,
  series: [...history.series]
    .map(({ facts, family, reaches, weight }) => ({
      ...{ facts, reaches, weight, name: family.name, unit: family.unit, description: family.description },
      ...{ digits: family.layout.significantDigits, boundaries: family.boundaries, scope: family.scope },
    }))
    .sort((a, b) => a.facts.id - b.facts.id),
  ids: table.series.length,
});

const FAMILIES: readonly FamilyOptions[] = [
  { name: 'rpc.duration', unit: 's', description: 'Duration of calls.', significantDigits: 3 },
  { name: 'rpc.duration', unit: 's', scope: { name: 'lib', version: '1.2' } },
  { name: 'kernel.wait', unit: 's', boundaries: [1e-6, 1e-3, 0.5] },
  { name: 'size', unit: 'By', significantDigits: 1 },
];

const recorded = fc.array(
  fc.record({
    ms: fc.integer({ min: 100, max: 400_000 }),
    values: fc.array(
      fc.tuple(
        fc.nat(3),
        fc.constantFrom(1, '1', true, 'x\ny'),
        fc.double({ min: 1e-6, max: 100, noNaN: true }),
        fc.constantFrom(1, 1, 1, 10, 100),
      ),
      { maxLength: 8 },
    ),
    isWritten: fc.boolean(),
  }),
  { minLength: 1, maxLength: 90 },
);

test('what was written before a kill is shown again, bit for bit, whenever it comes', async () => {
  await fc.assert(
    fc.asyncProperty(recorded, fc.boolean(), async (steps, isFull) => {
      const own = await mkdtemp(join(folder, 'one-'));
      const limits = isFull ? { mostBytes: 0, spanMs: 1e9 } : {};
      const page = await KeptPage.open(START_MS, limits, own);
      let written: ReturnType<typeof shownIn> | undefined;
      for (const { ms, values, isWritten } of steps) {
        for (const [family, n, value, weight] of values)
          recordSample(page.registry.histogram(FAMILIES[family]!).with({ n }), value, weight);
        await page.passOn(ms, isWritten);
        // The first interval is written at once.
        if (isWritten || written === undefined) written = structuredClone({ ...shownIn(page), ids: 0 });
      }
      await page.kill();

      const again = new KeptPage(limits, own);
      const earlier = (await again.past.open(page.nowMs))!;
      await again.history.restore(earlier.history, earlier.later);
      expect(shownIn(again)).toEqual(written ?? { intervals: [], series: [], ids: 0 });
      await again.kill();
    }),
    { numRuns: 60 },
  );
}, 60_000);

/** Some intervals that a folder keeps, with the count of each: 1, 2, 3, … */
async function keepIntervals(count: number): Promise<KeptPage> {
  const page = await KeptPage.open();
  for (let n = 1; n <= count; n++) {
    for (let i = 0; i < n; i++) page.family().with({ route: '/pay' }).record(0.25);
    await page.passOn(1000);
  }
  return page;
}

const lastFile = async (): Promise<string> => join(folder, (await readdir(folder)).sort().at(-1)!);

async function countOf(page: TimedPage, fromMs: number, toMs: number): Promise<number> {
  const { rows } = await page.ask({ range: { fromMs, toMs }, by: [] });
  return rows!.rows.reduce((sum, { count }) => sum + count, 0);
}

test('a series goes on after a restart, with a gap of which nothing is known', async () => {
  const before = await keepIntervals(3);
  await before.kill();

  const page = await KeptPage.open(START_MS + 63_000);
  for (let i = 0; i < 4; i++) page.family().with({ route: '/pay' }).record(0.5);
  await page.passOn(1000);

  const [row] = page.table.series;
  expect([page.table.series.length, row!.facts.id, row!.latest.counts.total]).toEqual([1, 0, 4]);
  expect(page.history.facts).toMatchObject({
    range: { fromMs: START_MS, toMs: START_MS + 64_000 },
    ...{ gaps: [{ fromMs: START_MS + 3000, toMs: START_MS + 63_000 }], gapCount: 1, gapMs: 60_000 },
  });
  const { rows, detail } = await page.ask({
    range: { fromMs: START_MS, toMs: START_MS + 64_000 },
    pick: 'rpc.duration route=/pay',
  });
  // Ten values in four seconds: the minute between them is no time of the row.
  expect(rows!.rows).toMatchObject([{ count: 10, perSecond: 2.5 }]);
  const overTime = detail!.plots.find((plot) => plot.kind === 'over-time')!;
  expect(overTime.lines[0]!.values.map((value) => value === null)).toEqual([
    false,
    false,
    false,
    true,
    false,
  ]);
  expect(overTime.timesMs[3]).toBe(START_MS + 3000);
});

test('intervals are never merged across a gap, and the oldest is forgotten when only gaps are left', async () => {
  const limits = { mostBytes: 0, spanMs: 1e12 };
  let page = await KeptPage.open(START_MS, limits);
  for (let start = 1; start <= 65; start++) {
    page.family().with({}).record(1);
    await page.passOn(1000);
    await page.kill();
    page = await KeptPage.open(START_MS + start * 60_000, limits);
  }
  page.family().with({}).record(1);
  await page.passOn(1000);
  const { intervals } = page.history;
  expect(intervals.map(({ startMs, endMs }) => endMs - startMs)).toEqual(Array(60).fill(1000));
  expect(page.history.facts.gapCount).toBe(59);
  expect(page.history.facts.gaps).toHaveLength(20);
});

test('a series that only an earlier process had is in the rows of its time, with its family', async () => {
  const before = await keepIntervals(2);
  before.registry.histogram(FAMILIES[3]!).with({ kind: 'request' }).record(512);
  await before.passOn(1000);
  await before.kill();
  const page = await KeptPage.open(START_MS + 10_000);
  page.family().with({ route: '/pay' }).record(1);
  await page.passOn(1000);

  const { rows } = await page.ask({ range: { fromMs: START_MS, toMs: START_MS + 3000 } });

  expect(rows!.rows.map(({ attributes, count }) => [attributes, count])).toEqual([
    [['kind=request'], 1],
    [['route=/pay'], 3],
  ]);
  expect(rows!.families).toMatchObject([{ id: rows!.rows[0]!.family, name: 'size', counted: 'bytes' }]);
});

test.each<[string, FamilyOptions]>([
  ['digits', { name: 'rpc.duration', unit: 's', significantDigits: 1 }],
  ['unit', { name: 'rpc.duration', unit: 'ms', significantDigits: 3 }],
  ['resolution', { name: 'rpc.duration', unit: 's', significantDigits: 3, resolution: 1e-6 }],
  ['boundaries', { name: 'rpc.duration', unit: 's', significantDigits: 3, boundaries: [0.1] }],
])(
  'a family with other %s after a restart is another one: their counts are not added',
  async (_, options) => {
    const before = await keepIntervals(2);
    await before.kill();
    const page = await KeptPage.open(START_MS + 10_000);
    page.registry.histogram(options).with({ route: '/pay' }).record(1);
    await page.passOn(1000);

    const { rows } = await page.ask({ range: { fromMs: START_MS, toMs: START_MS + 11_000 }, by: [] });

    expect(rows!.rows.map(({ count }) => count)).toEqual([3, 1]);
    expect(new Set(rows!.rows.map(({ family }) => family)).size).toBe(2);
  },
);

test('a process that was stopped has left everything, and one that was killed has not', async () => {
  const earlierOf = async (nowMs: number): Promise<PastFacts['earlier']> => {
    const page = await KeptPage.open(nowMs);
    const { earlier } = page.past.facts;
    await page.kill();
    return earlier;
  };
  const page = await keepIntervals(2);
  page.family().with({ route: '/pay' }).record(1);
  await page.passOn(1000, false);
  await page.past.close(page.history);

  const whole = { endMs: START_MS + 3000, isWhole: true };
  expect(await earlierOf(START_MS + 10_000)).toMatchObject(whole);
  // The one that has just read it was killed before its first write.
  expect(await earlierOf(START_MS + 20_000)).toMatchObject({ ...whole, isWhole: false });
});

test('one process has the folder: another one says so, and remembers in memory', async () => {
  const first = await keepIntervals(1);

  const second = await KeptPage.open(START_MS + 5000);
  second.family().with({}).record(1);
  await second.passOn(1000);

  const sentence = `the history is not kept in ${folder}: another process keeps the history of its page there: name another folder for this one`;
  expect(second.past.facts).toMatchObject({ isKept: false, problem: sentence });
  expect(errors.map(({ message }) => message)).toEqual([sentence]);
  expect(second.history.intervals).toHaveLength(1);
  await first.passOn(1000);
  expect(first.past.facts).toMatchObject({ isKept: true, problem: null });
});

test('what is damaged or cut is left out and counted, and the rest is as it was', async () => {
  const whole = await keepIntervals(12);
  await whole.kill();
  const path = await lastFile();
  const bytes = await readFile(path);
  const wanted = new Map(whole.history.intervals.map((one) => [one.startMs, one]));
  await fc.assert(
    fc.asyncProperty(fc.double({ min: 0, max: 0.999_999, noNaN: true }), fc.boolean(), async (at, isCut) => {
      const place = Math.floor(at * bytes.length);
      const damaged = Buffer.from(bytes);
      damaged[place]! ^= 1 + (place % 255);
      await writeFile(path, isCut ? bytes.subarray(0, place) : damaged);
      const page = new KeptPage();
      const earlier = (await page.past.open(START_MS + 60_000))!;
      const found = [...earlier.history.intervals, ...earlier.later];
      const { earlier: facts } = page.past.facts;
      for (const interval of found) {
        const original = wanted.get(interval.startMs)!;
        // A series whose name is lost is not in its intervals.
        expect(interval).toEqual(
          interval.ids.length === 0 ? { ...interval, ids: new Int32Array(0) } : original,
        );
      }
      const isOnFrame = facts === null || facts.damagedBytes === 0;
      if (!isCut) expect(isOnFrame).toBe(false);
      expect(found.length).toBeGreaterThanOrEqual(isCut ? 0 : 11);
      await page.kill();
    }),
    { numRuns: 150 },
  );
}, 60_000);

test('a damaged file is written anew, without the damage', async () => {
  const before = await keepIntervals(5);
  await before.kill();
  await appendFile(await lastFile(), 'no frame');
  const page = await KeptPage.open(START_MS + 10_000);
  expect(page.past.facts.earlier).toMatchObject({ damagedBytes: 8, isWhole: false });
  page.family().with({ route: '/pay' }).record(1);
  await page.passOn(1000);
  await page.kill();

  const again = await KeptPage.open(START_MS + 20_000);
  expect(again.past.facts.earlier).toMatchObject({ damagedBytes: 0, endMs: START_MS + 11_000 });
  expect(await countOf(again, START_MS, START_MS + 11_000)).toBe(16);
  expect(await readdir(folder)).toHaveLength(1);
});

test('files that a killed process was about to replace or to finish are removed', async () => {
  const before = await keepIntervals(3);
  await before.kill();
  const bytes = await readFile(await lastFile());
  await writeFile(join(folder, 'live-page-0000000000.past'), bytes.subarray(0, 100));
  await writeFile(join(folder, 'live-page-0000000002.past.unfinished'), bytes.subarray(0, 50));
  await writeFile(join(folder, 'notes.txt'), 'of somebody else');

  const page = await KeptPage.open(START_MS + 10_000);

  expect(await countOf(page, START_MS, START_MS + 3000)).toBe(6);
  expect((await readdir(folder)).sort()).toEqual(['live-page-0000000001.past', 'notes.txt']);
});

test('a full disk disturbs nothing: the page says since when, and the next write has everything', async () => {
  const page = await keepIntervals(2);
  const restore = await failWrites('ENOSPC: no space left on device, write');
  for (let n = 0; n < 3; n++) {
    page.family().with({ route: '/pay' }).record(1);
    await page.passOn(1000);
  }
  expect(page.past.facts).toMatchObject({
    failingSinceMs: START_MS + 2000,
    problem: `the history cannot be written to ${folder}: ENOSPC: no space left on device, write`,
  });
  expect(errors).toHaveLength(1);
  expect(page.history.intervals).toHaveLength(5);
  restore();
  await page.passOn(1000);
  expect(page.past.facts).toMatchObject({ failingSinceMs: null, problem: null, writtenMs: START_MS + 6000 });
  await page.kill();
  const again = await KeptPage.open(START_MS + 20_000);
  expect(await countOf(again, START_MS, START_MS + 6000)).toBe(6);
  expect(await readdir(folder)).toHaveLength(1);
});

test('a folder that somebody removes is made again, with everything', async () => {
  const page = await keepIntervals(2);
  await rm(folder, { recursive: true });
  await page.passOn(1000);
  expect(page.past.facts.problem).toBe(
    `the history cannot be written to ${folder}: somebody has removed its file`,
  );
  await page.passOn(1000);
  expect(page.past.facts.problem).toBe(null);
  await page.kill();
  const again = await KeptPage.open(START_MS + 20_000);
  expect(await countOf(again, START_MS, START_MS + 6000)).toBe(3);
});

test('a folder that cannot be made leaves the page in memory', async () => {
  await writeFile(join(folder, 'file'), '');
  const page = await KeptPage.open(START_MS, {}, join(folder, 'file', 'folder'));
  page.family().with({}).record(1);
  await page.passOn(1000);
  expect(page.past.facts).toMatchObject({ isKept: false, problem: expect.stringContaining('ENOTDIR') });
  expect(page.history.intervals).toHaveLength(1);
});

test('intervals after the present time of the clock are left out and counted', async () => {
  const before = await keepIntervals(5);
  await before.kill();
  const page = await KeptPage.open(START_MS + 3000);
  expect(page.past.facts.earlier).toMatchObject({ misplacedIntervals: 2, endMs: START_MS + 3000 });
  page.family().with({ route: '/pay' }).record(1);
  await page.passOn(1000);
  expect(await countOf(page, START_MS, START_MS + 4000)).toBe(7);
});

test('a file of a later version is left as it is', async () => {
  const path = join(folder, 'live-page-0000000007.past');
  const bytes = await encodeFrame(serialize({ kind: 'version', version: 2 }), new Slices());
  await writeFile(path, bytes);
  const page = await KeptPage.open();
  page.family().with({}).record(1);
  await page.passOn(1000);
  expect(page.past.facts.problem).toContain(
    'it was written by a later version of hdrscope (2): name another folder',
  );
  expect(await readFile(path)).toEqual(bytes);
});

test('a file is written anew before it takes three times the memory of the history', async () => {
  const mostBytes = 2 ** 20;
  const page = await KeptPage.open(START_MS, { mostBytes, spanMs: 1e12 });
  let most = 0;
  for (let n = 0; n < 600; n++) {
    for (let i = 0; i < 200; i++)
      page
        .family()
        .with({ n: i % 40 })
        .record(1e-6 * (1 + ((n * 7919 + i * 104_729) % 1e6)));
    await page.passOn(1000);
    most = Math.max(most, page.past.facts.bytes);
  }
  expect(page.history.facts.bytes).toBeLessThanOrEqual(mostBytes);
  expect(most).toBeLessThan(3 * mostBytes);
  const names = await readdir(folder);
  expect(names).toHaveLength(1);
  expect(Number(/\d+/.exec(names[0]!)![0])).toBeGreaterThan(1);
}, 60_000);

test('wide buckets of an earlier process stay wide', async () => {
  const before = await KeptPage.open();
  const source = ingest(before.registry, { name: 'test' });
  const take = (counts: readonly number[]) => {
    const counted = countedIn(explicitLayout([1, 10]), counts);
    const refusals = source.take([
      {
        key: 'a',
        family: { name: 'wide', unit: 's' },
        attributes: {},
        counted,
        counter: { temporality: 'delta' },
      },
    ]);
    expect(refusals).toEqual([]);
  };
  take([0, 1, 0]);
  await before.passOn(1000);
  take([0, 5, 0]);
  await before.passOn(1000);
  await before.kill();

  const page = await KeptPage.open(START_MS + 10_000);
  page.registry.histogram({ name: 'wide', unit: 's' }).with({}).record(5);
  await page.passOn(1000);

  const question = { range: { fromMs: START_MS, toMs: START_MS + 2000 } };
  expect((await page.ask(question)).rows!.rows[0]!.values).toEqual(
    (await before.ask(question)).rows!.rows[0]!.values,
  );
  expect((await page.ask(question)).rows!.rows[0]!.values!.wide).toBeGreaterThan(0);
});

/** Makes all writes to files fail until the returned function is called. */
async function failWrites(message: string): Promise<() => void> {
  const handle = await open(join(folder, 'probe'), 'w');
  await rm(join(folder, 'probe'));
  const prototype = Object.getPrototypeOf(handle) as Pick<FileHandle, 'write'>;
  await handle.close();
  const { write } = prototype;
  prototype.write = () => Promise.reject(new Error(message));
  return () => {
    prototype.write = write;
  };
}
