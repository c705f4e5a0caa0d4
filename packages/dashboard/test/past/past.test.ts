import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FamilyOptions } from '@hdrscope/registry';
import fc from 'fast-check';
import type { HistoryLimits } from '../../src/history/history.ts';
import { Past } from '../../src/past/past.ts';
import { NO_QUESTION } from '../../src/question.ts';
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
      page.table.restore(page.history.series);
    }
    await page.update();
    return page;
  }

  /** Ends an interval. Without `isWritten`, it waits in memory, as within ten seconds after a write. */
  async passOn(ms: number, isWritten = true): Promise<void> {
    this.nowMs += ms;
    this.table.update(await this.registry.gather());
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
    .map(({ facts, family, reaches }) => ({
      ...{ facts, reaches, name: family.name, unit: family.unit, description: family.description },
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
        for (const [family, n, value] of values)
          page.registry.histogram(FAMILIES[family]!).with({ n }).record(value);
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
