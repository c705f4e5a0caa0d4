import type { Curve, CurvePoint, TimePlot } from '../plot.ts';
import type { ChartSeries, Drawing, DrawingApi } from './option.ts';
import { ninesOf, placesOf } from './percentile-axis.ts';

/*
 * A curve rises in steps: each point is a slot, and all percentiles of the slot have its value. Where slots are too many to be
 * seen, a curve has some of them, and is a straight line between them.
 */

/** The first point at or above a percentile, whose value the percentile has; `undefined` for a curve without points. */
export function pointAt({ points }: Curve, percentile: number): CurvePoint | undefined {
  // A percentile that comes back from its place on the axis differs in its last bits.
  return points.find((point) => point.percentile >= percentile - 1e-9 * (100 - percentile)) ?? points.at(-1);
}

/** The index of the last point at or below a value; `undefined` when the curve begins above the value, or never exceeds it. */
export function crossingOf({ points }: Pick<Curve, 'points'>, value: number): number | undefined {
  const at = points.findLastIndex((point) => point.value <= value);
  return at < 0 || points[at]!.percentile >= 100 ? undefined : at;
}

/** A corner of a line: its place on the horizontal axis, and its value. */
export type Corner = readonly [place: number, value: number];

/** A step of a curve: the places where it begins and ends. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly point: CurvePoint;
}

function stepsOf(curve: Curve): Step[] {
  const places = placesOf(curve);
  return curve.points.map((point, i) => {
    const before = places[i - 1] ?? 0;
    const from = point.from === undefined ? before : Math.min(ninesOf(point.from), places[i]!);
    return { from: Math.max(before, from), to: places[i]!, point };
  });
}

/** The corners of a curve's line: both ends of each step. Two steps that adjoin are joined by an upright line. */
export function cornersOf(curve: Curve): Corner[] {
  return stepsOf(curve).flatMap(({ from, to, point: { value } }): Corner[] =>
    from === to
      ? [[to, value]]
      : [
          [from, value],
          [to, value],
        ],
  );
}

/** A point of a band: its place on the horizontal axis, and its two values. */
export type BandPoint = readonly [place: number, lower: number, upper: number];

/**
 * The stretches of a curve with bounds, each as the corners of both its sides. The bounds of a slot hold for all of its step. The bounds of
 * a confidence change within a step, and are those at the end of each point.
 */
export function bandsOf(curve: Curve): BandPoint[][] {
  const bands: BandPoint[][] = [];
  let open: BandPoint[] | undefined;
  for (const { from, to, point } of stepsOf(curve)) {
    const { lower, upper } = point;
    // The band of a slot without an end reaches to the end of the axis.
    if (!isFiniteNumber(lower) || upper === undefined) {
      open = undefined;
      continue;
    }
    const isStep = curve.confidence === undefined || open === undefined;
    if (open === undefined) {
      open = [];
      bands.push(open);
    }
    if (isStep && from < to) open.push([from, lower, upper]);
    open.push([to, lower, upper]);
  }
  return bands;
}

function isFiniteNumber(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The stretches of a line over time that have bounds. A moment between two that have none is a point. */
export function timeBandsOf(
  timesMs: readonly number[],
  { values, lower = [] }: Pick<TimePlot['lines'][number], 'values' | 'lower'>,
): BandPoint[][] {
  const bands: BandPoint[][] = [];
  let isOpen = false;
  for (const [i, time] of timesMs.entries()) {
    const [least, most] = [lower[i], values[i]];
    const hasBounds = isFiniteNumber(least) && isFiniteNumber(most);
    if (hasBounds && !isOpen) bands.push([]);
    if (hasBounds) bands.at(-1)!.push([time, least, most]);
    isOpen = hasBounds;
  }
  return bands;
}

/** The shaded ranges between the bounds of a line. They have its name, so that hiding the line hides them too. */
export function bandSeries(
  name: string,
  bands: readonly (readonly BandPoint[])[],
  color: string,
  clamp: (value: number) => number,
): ChartSeries[] {
  return bands.map((points) => ({
    type: 'custom',
    name,
    silent: true,
    clip: true,
    z: 1,
    tooltip: { show: false },
    // ECharts reads the extent from the items; the first item draws the whole band.
    data: points.map(([place, lower, upper]) => [place, clamp(lower), clamp(upper)]),
    encode: { x: 0, y: [1, 2] },
    renderItem: ({ dataIndex }: { dataIndex: number }, api: DrawingApi): Drawing | undefined => {
      if (dataIndex > 0) return undefined;
      const at = ([place, value]: Corner) => api.coord([place, clamp(value)]);
      return {
        type: 'polygon',
        shape: { points: outlineOf(points).map(at) },
        style: { fill: color, opacity: 0.18 },
      };
    },
  }));
}

/** The outline of a band: along the upper bounds, and back along the lower ones. */
export function outlineOf(points: readonly BandPoint[]): Corner[] {
  const side = (at: 1 | 2): Corner[] => points.map((point) => [point[0], point[at]]);
  return [...side(2), ...side(1).reverse()];
}
