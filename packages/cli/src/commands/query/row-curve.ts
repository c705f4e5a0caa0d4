import { resolutionOf } from '@hdrscope/core/internal';
import { figureBounds, type MergedRow, queryMergedRows } from '@hdrscope/history';
import { histogramsOfRow } from '@hdrscope/history/internal';
import { scaled } from '@hdrscope/inputs/internal';
import { type Curve, curveOfSeries } from '@hdrscope/plot';
import { Refusal } from '../../command.ts';
import { shownUnitOf, type WideCurves } from './answer.ts';
import { type AskedHistory, withEngine } from './engine.ts';
import { type Options, selectionOf } from './options.ts';

/**
 * The curve of a row, in the unit that is shown. Where values lie in wide buckets, points have bounds, which are no wider than the minimum
 * and the maximum allow.
 *
 * @param columns How many columns the picture has.
 */
export function curveOfRow(row: MergedRow, name: string, columns: number): Curve {
  const { scale } = shownUnitOf(row.unit);
  const { lowest: lower, highest: upper } = histogramsOfRow(row);
  const family = { name, resolution: resolutionOf(scaled(row.scale, scale)) };
  const ends = { lower: lower.counts, upper: upper.counts };
  const curve = curveOfSeries(family, { attributes: {}, histogram: upper }, { name, columns, ends });
  const { min, max } = figureBounds(row);
  const [least, most] = [scaled(min.lower, scale), scaled(max.upper, scale)];
  const points = curve.points.map(({ value, lower, upper, ...point }) => ({
    ...point,
    value: Math.min(value, most),
    ...(lower !== undefined &&
      upper !== undefined && { lower: Math.max(lower, least), upper: Math.min(upper, most) }),
  }));
  return { ...curve, points };
}

/** Reads the curves of the groups that an answer has. */
export async function readWideCurves(
  history: AskedHistory,
  options: Options,
  columns: number,
): Promise<WideCurves> {
  const { by } = options;
  const rows = new Map<string, MergedRow>();
  await withEngine(history.folder, async () => {
    for await (const row of queryMergedRows(history.folder, { ...selectionOf(options), by }, history.query))
      rows.set(keyOf(row), row);
  });
  return (group, name) => {
    const row = rows.get(keyOf(group));
    // Between two questions, rows may be removed.
    if (row === undefined)
      throw new Refusal(`the values of ${name} were removed while they were read: ask again`);
    return curveOfRow(row, name, columns);
  };
}

function keyOf({ attributes, unit, scale }: Pick<MergedRow, 'attributes' | 'unit' | 'scale'>): string {
  return JSON.stringify([unit, scale, Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
