import {
  figureBounds,
  type HistoryQuestion,
  type HistoryRow,
  mergeRows,
  percentilesOf,
  slotOfTick,
} from '../../src/index.ts';
import { writeRows } from './folder.ts';
import { groupedBy, START_MS } from './recorded.ts';
import { newDirectory } from './sandbox.ts';

/** Rows that a file has in another encoding each: how many, how many slots, and how far slots and counts go. */
interface Shape {
  readonly rows: number;
  readonly slots: number;
  readonly bits: number;
  /** The widest step from a slot to the next. */
  readonly gap: number;
  readonly mostCount: number;
  /** The widest slot spans so many further ones. @default none is wider */
  readonly widest?: number;
  /** Whether the last count of a row is of a bucket without an end. @default no count is */
  readonly isEndless?: boolean;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  'differences of one byte, in several pages': { rows: 700, slots: 40, bits: 7, gap: 5, mostCount: 3 },
  'differences of one byte, and a wide step back': { rows: 150, slots: 150, bits: 7, gap: 5, mostCount: 12 },
  'differences of two and three bytes': { rows: 100, slots: 60, bits: 17, gap: 60_000, mostCount: 200 },
  'one count, one slot': { rows: 300, slots: 1, bits: 10, gap: 1, mostCount: 1 },
  'two counts': { rows: 300, slots: 3, bits: 4, gap: 2, mostCount: 2 },
  'many counts': { rows: 50, slots: 30, bits: 7, gap: 9, mostCount: 5000 },
  'large counts': { rows: 50, slots: 30, bits: 7, gap: 9, mostCount: 2 ** 41 },
  'widths that overlap': { rows: 50, slots: 30, bits: 7, gap: 9, mostCount: 200, widest: 60 },
  'widths of millions': { rows: 50, slots: 12, bits: 17, gap: 60_000, mostCount: 20, widest: 3_000_000 },
  'widths without an end': {
    rows: 50,
    slots: 12,
    bits: 7,
    gap: 9,
    mostCount: 20,
    widest: 60,
    isEndless: true,
  },
};

/** The rows of a shape, whose name is the attribute `shape`. Every tenth is empty. */
export function rowsOfShape(shape: string): HistoryRow[] {
  const { rows, slots, bits, gap, mostCount, widest, isEndless = false } = SHAPES[shape]!;
  let state = 1;
  const upTo = (most: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return 1 + Math.floor((state / 2_147_483_647) * most);
  };
  return Array.from({ length: rows }, (_, sequence): HistoryRow => {
    const length = sequence % 10 === 9 ? 0 : upTo(2 * slots - 1);
    const first = slotOfTick(1e6 + upTo(1e5), bits);
    const k: number[] = [];
    for (let i = 0; i < length; i++) k.push((k.at(-1) ?? first) + upTo(gap));
    const c = k.map(() => upTo(mostCount));
    // Some rows know narrow slots only, and have no widths.
    const w = widest === undefined || sequence % 7 === 0 ? [] : k.map(() => upTo(widest + 1) - 1);
    const isOpen = isEndless && w.length > 0;
    if (isOpen) w[w.length - 1] = slotOfTick(Number.MAX_SAFE_INTEGER, bits) - k.at(-1)!;
    const count = c.reduce((sum, one) => sum + one, 0);
    return {
      metric: 'lat',
      unit: 's',
      attributes: { shape },
      startMs: START_MS + sequence,
      endMs: START_MS + sequence + 1,
      producer: shape,
      sequence,
      count,
      sum: count * 1e6 + 0.25,
      min: count === 0 ? 0 : 1e6,
      max: count === 0 ? 0 : isOpen ? Number.MAX_SAFE_INTEGER : 2 ** 50,
      scale: 1e-9,
      bits,
      k,
      c,
      w,
      ...(w.length > 0 && { margins: MARGINS }),
      version: 2,
    };
  });
}

// A sum and extremes that are not known.
const MARGINS = { sumBelow: 1000, sumAbove: 3000.5, minAbove: 2 ** 20, maxBelow: 2 ** 30 };

export const shapeNames: readonly string[] = Object.keys(SHAPES);

const PERCENTILES = Array.from({ length: 101 }, (_, percentile) => percentile);

/**
 * Expects that an engine reads files of all encodings.
 *
 * @param ask Asks about the files of a folder. Its rows have the columns of `historySql`.
 */
export async function expectAllShapes(
  ask: (
    question: HistoryQuestion,
    folder: string,
  ) => Record<string, unknown>[] | Promise<Record<string, unknown>[]>,
): Promise<void> {
  const folder = newDirectory();
  const all = shapeNames.map(rowsOfShape);
  for (const rows of all) await writeRows(folder, rows, 80_000);
  expectShapes(await ask(ALL_PERCENTILES, folder), all.flat());
}

/** The question whose answer `expectShapes` takes. */
export const ALL_PERCENTILES = { metric: 'lat', percentiles: PERCENTILES, by: ['shape'] };

/** Expects the percentiles of merged rows, by shape. */
export function expectShapes(answer: readonly Record<string, unknown>[], rows: readonly HistoryRow[]): void {
  const byShape = groupedBy([...rows], ({ attributes }) => attributes.shape!);
  expect(answer.map(({ group1 }) => group1).sort()).toEqual([...byShape.keys()].sort());
  for (const group of answer) {
    const merged = mergeRows(byShape.get(String(group.group1))!);
    expect(group.count).toBe(merged.count);
    const { min, max } = figureBounds(merged);
    expect([group.min, group.min_upper, group.max_lower, group.max]).toEqual([
      min.lower,
      min.upper,
      max.lower,
      max.upper,
    ]);
    const { sumBelow, sumAbove } = merged.margins ?? { sumBelow: 0, sumAbove: 0 };
    expect((Number(group.sum) - Number(group.sum_lower)) * 1e9).toBeCloseTo(sumBelow, 0);
    expect((Number(group.sum_upper) - Number(group.sum)) * 1e9).toBeCloseTo(sumAbove, 0);
    const found = PERCENTILES.map((percentile) => [
      group[`p${percentile}_lower`],
      group[`p${percentile}_upper`],
    ]);
    expect(found).toEqual(percentilesOf(merged, PERCENTILES).map(({ lower, upper }) => [lower, upper]));
  }
}
