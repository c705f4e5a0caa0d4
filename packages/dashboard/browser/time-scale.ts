import type { TimePlot } from '@hdrscope/plot';
import type { TimeRange } from '../src/question.ts';

/**
 * The moments at which intervals begin and end, ascending: a range begins and ends at one of them.
 *
 * @param bounds The time that the server remembers, for a row without a plot.
 */
export function edgesOf(plot: TimePlot | undefined, bounds: TimeRange): readonly number[] {
  const times = plot?.timesMs ?? [];
  const last = Math.max(plot?.endMs ?? times.at(-1) ?? bounds.toMs, bounds.toMs);
  const before = times.filter((time) => time < last);
  const first = before[0] ?? last;
  return [...(bounds.fromMs < first ? [bounds.fromMs] : []), ...before, last];
}

/** The time from the first edge to the last. */
export function boundsOf(edges: readonly number[]): TimeRange {
  return { fromMs: edges[0] ?? 0, toMs: edges.at(-1) ?? 0 };
}

/** The place of the last edge at or before a moment; 0 for a moment before all edges. */
function placeOf(edges: readonly number[], ms: number): number {
  let [low, high] = [0, edges.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (edges[middle]! <= ms) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The edge that is nearest to a moment. */
export function nearestEdge(edges: readonly number[], ms: number): number {
  const at = placeOf(edges, ms);
  const [before, after] = [edges[at] ?? ms, edges[at + 1] ?? edges[at] ?? ms];
  return ms - before <= after - ms ? before : after;
}

/** The whole intervals between two moments, in either order; at least one interval. */
export function rangeBetween(edges: readonly number[], a: number, b: number): TimeRange {
  const [from, to] = a <= b ? [a, b] : [b, a];
  const first = Math.min(placeOf(edges, from), Math.max(0, edges.length - 2));
  const last = placeOf(edges, to);
  const end = edges[last] !== undefined && edges[last] >= to ? last : last + 1;
  const toMs = edges[Math.min(edges.length - 1, Math.max(end, first + 1))] ?? to;
  return { fromMs: edges[first] ?? from, toMs };
}

/** Which end of a range a person moves. */
export type End = 'from' | 'to';

/** A range with one end at another edge. The end stays within the edges, and an interval away from the other end. */
export function withEnd(edges: readonly number[], range: TimeRange, end: End, ms: number): TimeRange {
  const target = nearestEdge(edges, ms);
  if (end === 'from') {
    const latest = edges[Math.max(0, firstAtLeast(edges, range.toMs) - 1)] ?? target;
    return { ...range, fromMs: Math.min(target, latest) };
  }
  const earliest = edges[Math.min(edges.length - 1, placeOf(edges, range.fromMs) + 1)] ?? target;
  return { ...range, toMs: Math.max(target, earliest) };
}

function firstAtLeast(edges: readonly number[], ms: number): number {
  const at = placeOf(edges, ms);
  return edges[at] !== undefined && edges[at] >= ms ? at : Math.min(edges.length - 1, at + 1);
}

/** The edge some intervals after a moment, or before it. */
export function edgeAfter(edges: readonly number[], ms: number, intervals: number): number {
  const at = intervals > 0 ? placeOf(edges, ms) : firstAtLeast(edges, ms);
  return edges[Math.min(edges.length - 1, Math.max(0, at + intervals))] ?? ms;
}

/** A range moved as a whole. It keeps its length, and stays within the edges. */
export function movedBy(edges: readonly number[], { fromMs, toMs }: TimeRange, ms: number): TimeRange {
  const bounds = boundsOf(edges);
  const length = toMs - fromMs;
  const wanted = Math.min(
    Math.max(bounds.fromMs, fromMs + ms),
    Math.max(bounds.fromMs, bounds.toMs - length),
  );
  const from = nearestEdge(edges, wanted);
  return { fromMs: from, toMs: Math.max(nearestEdge(edges, from + length), edgeAfter(edges, from, 1)) };
}

/** The last milliseconds before a moment, in whole intervals. */
export function lastOf(edges: readonly number[], ms: number): TimeRange {
  const { fromMs, toMs } = boundsOf(edges);
  return rangeBetween(edges, Math.max(fromMs, toMs - ms), toMs);
}

/** The time right before a range that is as long; `undefined` when nothing before it is remembered. */
export function rightBefore(edges: readonly number[], { fromMs, toMs }: TimeRange): TimeRange | undefined {
  const first = boundsOf(edges).fromMs;
  if (first >= fromMs) return undefined;
  const start = nearestEdge(edges, Math.max(first, fromMs - (toMs - fromMs)));
  return { fromMs: start < fromMs ? start : edgeAfter(edges, fromMs, -1), toMs: fromMs };
}

/** The time that was so many milliseconds before a range, in whole intervals; `undefined` when it is not remembered. */
export function earlierBy(edges: readonly number[], range: TimeRange, ms: number): TimeRange | undefined {
  const fromMs = range.fromMs - ms;
  if (boundsOf(edges).fromMs > fromMs) return undefined;
  const earlier = rangeBetween(edges, fromMs, range.toMs - ms);
  return earlier.toMs > range.fromMs ? undefined : earlier;
}

const NEARLY_ALL = 0.9;
// A timeline shows at least so many milliseconds.
const LEAST_WINDOW_MS = 1000;

/** The part of the time that is shown, made longer or shorter around a moment; `undefined` when it is everything. */
export function zoomed(
  window: TimeRange,
  bounds: TimeRange,
  factor: number,
  aroundMs: number,
): TimeRange | undefined {
  const whole = bounds.toMs - bounds.fromMs;
  const length = Math.max(LEAST_WINDOW_MS, (window.toMs - window.fromMs) * factor);
  // The bounds grow while a page is live, so the same steps in and out end at a little less than everything.
  if (length >= NEARLY_ALL * whole) return undefined;
  const part = (aroundMs - window.fromMs) / (window.toMs - window.fromMs);
  return within({ fromMs: aroundMs - part * length, toMs: aroundMs + (1 - part) * length }, bounds);
}

/** A window that shows a moment, moved no further than it must be. */
export function showing(window: TimeRange, ms: number, bounds: TimeRange): TimeRange {
  const length = window.toMs - window.fromMs;
  if (ms < window.fromMs) return within({ fromMs: ms, toMs: ms + length }, bounds);
  return ms > window.toMs ? within({ fromMs: ms - length, toMs: ms }, bounds) : window;
}

/** A window moved into the bounds. */
export function within({ fromMs, toMs }: TimeRange, bounds: TimeRange): TimeRange {
  const length = Math.min(toMs - fromMs, bounds.toMs - bounds.fromMs);
  const from = Math.min(Math.max(fromMs, bounds.fromMs), bounds.toMs - length);
  return { fromMs: from, toMs: from + length };
}
