import fc from 'fast-check';
import { type HistoryRow, mergeRows } from '../../src/index.ts';
import { NO_MARGINS } from '../../src/rows/margins.ts';
import { groupedBy, type Recorded, recorded, rowsOf } from './recorded.ts';
import { rowsOfShape, shapeNames } from './shaped-rows.ts';

/** A row of a rollup, as far as tests compare it. */
export interface RolledRow
  extends Pick<HistoryRow, 'metric' | 'unit' | 'attributes' | 'startMs' | 'scale' | 'bits' | 'count'> {
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly k: readonly number[];
  readonly c: readonly number[];
  readonly w: readonly number[];
  readonly margins: readonly [sumBelow: number, sumAbove: number, minAbove: number, maxBelow: number];
  /** How many series were merged. */
  readonly series: number;
}

const host = fc.constantFrom(undefined, 'a', 'b', "b'", '\\', '', '🙂');

/** Rows of hosts, of two scales and several digits; a few have buckets that are wide or have no end. */
export const rowsOfHosts: fc.Arbitrary<() => Promise<HistoryRow[]>> = fc
  .tuple(
    fc.array(fc.tuple(recorded, host, fc.constantFrom(1e-9, 0.001)), { minLength: 1, maxLength: 8 }),
    fc.array(fc.tuple(fc.constantFrom(...shapeNames), fc.nat(40), host), { maxLength: 6 }),
  )
  .map(([all, shaped]) => async () => {
    const rows: HistoryRow[] = [];
    for (const scale of [1e-9, 0.001]) {
      const some = all.filter(([, , one]) => one === scale).map(([one, name]) => withHost(one, name));
      const found = await rowsOf(some, { scale });
      rows.push(...found.map((row) => ({ ...row, producer: `${row.producer} ${scale}` })));
    }
    for (const [i, [shape, at, name]] of shaped.entries()) {
      const [row] = rowsOfShape(shape).slice(at, at + 1);
      rows.push({ ...withHost(row!, name), producer: `shape ${i}` });
    }
    return rows.filter(({ count }) => count > 0);
  });

function withHost<T extends Pick<Recorded, 'attributes'>>(one: T, name: string | undefined): T {
  if (name === undefined) return one;
  const entries = Object.entries({ ...one.attributes, host: name });
  return { ...one, attributes: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The rows that `mergeRows` gives of rows without some attributes, by stretches of time. */
export function mergedSeries(
  rows: readonly HistoryRow[],
  drop: readonly string[],
  everyMs: number,
): RolledRow[] {
  const withoutDropped = ({ attributes }: HistoryRow): HistoryRow['attributes'] =>
    Object.fromEntries(Object.entries(attributes).filter(([key]) => !drop.includes(key)));
  const stretchOf = ({ startMs }: HistoryRow): number => startMs - (startMs % everyMs);
  const groups = groupedBy(rows, (row) =>
    JSON.stringify([row.metric, row.unit, withoutDropped(row), row.scale, row.bits, stretchOf(row)]),
  );
  const merged = [...groups.values()].map((group): RolledRow => {
    const [first] = group as [HistoryRow];
    const { k, c, w, count, sum, min, max, margins = NO_MARGINS } = mergeRows(group);
    return {
      metric: first.metric,
      unit: first.unit,
      attributes: withoutDropped(first),
      startMs: stretchOf(first),
      scale: first.scale,
      bits: first.bits,
      ...{ count, min, max, k, c },
      w: w.length === 0 ? k.map(() => 0) : w,
      sum: expect.closeTo(sum, -Math.log10(Math.max(1, sum) * 1e-14)) as number,
      margins: [margins.sumBelow, margins.sumAbove, margins.minAbove, margins.maxBelow],
      series: new Set(group.map(({ attributes }) => JSON.stringify(attributes))).size,
    };
  });
  return inOrder(merged);
}

/** Rows of a rollup in one order, whatever the engine gave. */
export function inOrder(rows: readonly RolledRow[]): RolledRow[] {
  const keyOf = ({ metric, unit, attributes, scale, bits, startMs }: RolledRow): string =>
    JSON.stringify([metric, unit, Object.entries(attributes).sort(), scale, bits, startMs]);
  return [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** A row of a folder that has a rollup. */
export function readRolledRow({ margins = NO_MARGINS, series, ...row }: HistoryRow): RolledRow {
  const { metric, unit, attributes, startMs, scale, bits, count, sum, min, max, k, c, w } = row;
  expect(series!.lower).toBe(series!.upper);
  return {
    ...{ metric, unit, attributes, startMs, scale, bits, count, sum, min, max, k, c },
    w: w.length === 0 ? k.map(() => 0) : w,
    margins: [margins.sumBelow, margins.sumAbove, margins.minAbove, margins.maxBelow],
    series: series!.lower,
  };
}

/** A row of an engine's answer. Integers of 64 bits may be texts, and `start_ms` is the start in milliseconds. */
export function rolledRow(row: Record<string, unknown>): RolledRow {
  const numbers = (list: unknown): number[] => (list as unknown[]).map(Number);
  const number = (name: string): number =>
    row[name] === null ? Number.POSITIVE_INFINITY : Number(row[name]);
  const k = numbers(row.k);
  const w = numbers(row.w);
  return {
    metric: String(row.metric),
    unit: String(row.unit),
    attributes: row.attributes as HistoryRow['attributes'],
    startMs: number('start_ms'),
    scale: number('scale'),
    bits: number('bits'),
    count: number('count'),
    sum: number('sum'),
    min: number('min'),
    max: number('max'),
    k,
    c: numbers(row.c),
    w: w.length === 0 ? k.map(() => 0) : w,
    margins: [number('sum_below'), number('sum_above'), number('min_above'), number('max_below')],
    series: number('series'),
  };
}

/** Lists of keys to drop: none of them exists, one, or all. */
export const droppedKeys: fc.Arbitrary<readonly string[]> = fc.constantFrom(
  ['host'],
  ['host', 'route'],
  ['host', 'route', 'method', 'shape'],
  ['absent', "'", '\\'],
);
