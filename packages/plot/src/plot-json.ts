import type { AxisSlot, Curve, CurvePoint, HeatAxis, Plot } from './plot.ts';

/**
 * A plot as JSON. An infinite bound or value becomes `null`, because JSON has no number for it.
 *
 * @example
 * ```ts
 * import { plotFromJson, plotToJson } from '@hdrscope/plot';
 *
 * const slots = [{ lower: 0, upper: 64 }, { lower: 65, upper: Infinity }];
 * const text = plotToJson({ kind: 'bars', unit: 'none', slots, counts: [7, 1] });
 * text.includes('{"lower":65,"upper":null}'); //=> true
 * const plot = plotFromJson(text);
 * plot.kind === 'bars' && plot.slots[1]!.upper; //=> Infinity
 * ```
 */
export function plotToJson(plot: Plot): string {
  return JSON.stringify(plot);
}

/**
 * Reads a plot that `plotToJson` wrote. A bound or a value that is `null` becomes infinite.
 *
 * @param text The JSON of a plot. Nothing checks that it is one.
 * @throws SyntaxError when the text is not JSON.
 */
export function plotFromJson(text: string): Plot {
  const plot = JSON.parse(text) as Plot;
  if (plot.kind === 'bars') return { ...plot, slots: plot.slots.map(toSlot) };
  if (plot.kind === 'heat-map') return { ...plot, x: toAxis(plot.x), y: toAxis(plot.y) };
  if (plot.kind === 'percentiles') return { ...plot, curves: plot.curves.map(toCurve) };
  if (plot.kind === 'comparison')
    return { ...plot, before: toCurve(plot.before), after: toCurve(plot.after) };
  return plot;
}

function toCurve(curve: Curve): Curve {
  return { ...curve, points: curve.points.map(toPoint) };
}

/** The value of an open slot, and its upper bound, are infinite. */
function toPoint(point: CurvePoint): CurvePoint {
  if (point.value !== null && point.upper !== null) return point;
  const open = Number.POSITIVE_INFINITY;
  return { ...point, value: point.value ?? open, ...('upper' in point && { upper: point.upper ?? open }) };
}

function toAxis(axis: HeatAxis): HeatAxis {
  return { ...axis, slots: axis.slots.map(toSlot) };
}

function toSlot({ lower, upper }: { lower: number | null; upper: number | null }): AxisSlot {
  return { lower: lower ?? Number.NEGATIVE_INFINITY, upper: upper ?? Number.POSITIVE_INFINITY };
}
