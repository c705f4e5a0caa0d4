import type { Curve, CurvePoint } from '../plot.ts';
import type { ChartSeries, Drawing, DrawingApi } from './option.ts';

/*
 * A curve rises in steps: all percentiles between two points have the value of the second point.
 */

/** The first point at or above a percentile, whose value the percentile has; `undefined` for a curve without points. */
export function pointAt({ points }: Curve, percentile: number): CurvePoint | undefined {
  // A percentile that comes back from its place on the axis differs in its last bits.
  return points.find((point) => point.percentile >= percentile - 1e-9 * (100 - percentile)) ?? points.at(-1);
}

/** The percentile up to which a curve stays at or below a value: 0 when it begins above, 100 when it never exceeds the value. */
export function crossingOf({ points }: Pick<Curve, 'points'>, value: number): number {
  return points.findLast((point) => point.value <= value)?.percentile ?? 0;
}

/** A point of a band: its place on the horizontal axis, and its two values. */
export type BandPoint = readonly [place: number, lower: number, upper: number];

/** The parts of a curve whose points have both bounds, each with the place where it begins. */
export function bandsOf(
  { points }: Pick<Curve, 'points'>,
  places: readonly number[],
): { readonly from: number; readonly points: readonly BandPoint[] }[] {
  const bands: { from: number; points: BandPoint[] }[] = [];
  let open: { from: number; points: BandPoint[] } | undefined;
  points.forEach(({ lower, upper }, i) => {
    if (!isFiniteNumber(lower) || !isFiniteNumber(upper)) {
      open = undefined;
      return;
    }
    if (open === undefined) {
      open = { from: places[i - 1] ?? 0, points: [] };
      bands.push(open);
    }
    open.points.push([places[i]!, lower, upper]);
  });
  return bands;
}

function isFiniteNumber(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The shaded range between a curve's bounds. It has the name of the curve, so that the legend hides both. */
export function bandSeries(
  curve: Curve,
  places: readonly number[],
  color: string,
  clamp: (value: number) => number,
): ChartSeries[] {
  return bandsOf(curve, places).map(({ from, points }) => ({
    type: 'custom',
    name: curve.name,
    silent: true,
    clip: true,
    z: 1,
    tooltip: { show: false },
    // ECharts reads the extent from the items; the first item draws the whole band.
    data: points.map(([place, lower, upper]) => [place, clamp(lower), clamp(upper)]),
    encode: { x: 0, y: [1, 2] },
    renderItem: ({ dataIndex }: { dataIndex: number }, api: DrawingApi): Drawing | undefined => {
      if (dataIndex > 0) return undefined;
      const at = (place: number, value: number) => api.coord([place, clamp(value)]);
      return {
        type: 'polygon',
        shape: { points: outlineOf(from, points).map(([place, value]) => at(place, value)) },
        style: { fill: color, opacity: 0.18 },
      };
    },
  }));
}

/** The outline of a band: along the upper bounds in steps, and back along the lower ones. */
export function outlineOf(from: number, points: readonly BandPoint[]): [place: number, value: number][] {
  const sides = [2, 1].map((side) => {
    let start = from;
    return points.flatMap((point): [number, number][] => {
      const [end, value] = [point[0], point[side]!];
      const step: [number, number][] = [
        [start, value],
        [end, value],
      ];
      start = end;
      return step;
    });
  });
  return [...sides[0]!, ...sides[1]!.reverse()];
}
