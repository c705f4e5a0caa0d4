import { type EdgeLayout, explicitLayout, linearLayout, log2Layout } from '@hdrscope/core';
import { assertFollows, mustBe, object } from '@hdrscope/core/internal';
import { AXIS_UNITS, type AxisUnit } from '@hdrscope/core/joint';

/** The growth of the slots of an axis. The slots of an `'explicit'` axis begin at its `edges`. */
export type AxisScale = 'linear' | 'log2' | 'explicit';

/**
 * One dimension of a perf histogram, as Ceph configures it.
 * Source: https://docs.ceph.com/en/latest/dev/perf_histograms/
 */
export interface Axis {
  /** The name in dumps: `Latency (usec)`. */
  readonly name: string;
  /** How the widths of the slots grow. */
  readonly scale: AxisScale;
  /** An integer. Smaller values belong to the first slot, the underflow. */
  readonly min: number;
  /** The width of the first slot after the underflow: an integer of at least 1. */
  readonly quantSize: number;
  /** The number of slots, underflow and overflow included: an integer from 1 to 65,536. */
  readonly buckets: number;
  /** The unit of the values, even where the name says another one. @default 'none' */
  readonly unit?: AxisUnit;
  /** The lower bounds of all slots but the first, ascending. An explicit axis needs them, no other axis may have them. */
  readonly edges?: readonly bigint[];
}

/** The integers that share a slot, both ends included. The underflow has no `min`, the overflow has no `max`. */
export interface AxisRange {
  /** The smallest integer of the slot; left out in the underflow. */
  readonly min?: bigint;
  /** The largest integer of the slot; left out in the overflow. */
  readonly max?: bigint;
}

const LARGEST_VALUE = 2n ** 63n - 1n;
const MOST_BUCKETS = 2 ** 16;

/**
 * The slots of an axis: exact for every integer up to 2^53 − 1.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when Ceph could not have such an axis.
 */
export function axisLayout(axis: Axis): EdgeLayout {
  assertAxis(axis);
  const { scale, min, quantSize, buckets } = axis;
  if (scale === 'explicit' || buckets > MOST_SHARED_BUCKETS) return computedLayout(axis);
  const key = `${scale} ${min} ${quantSize} ${buckets}`;
  let layout = layoutsInUse.get(key);
  if (layout === undefined) {
    layout = computedLayout(axis);
    if (layoutsInUse.size >= MOST_LAYOUTS) layoutsInUse.clear();
    layoutsInUse.set(key, layout);
  }
  return layout;
}

/**
 * The lower bounds of all slots but the first.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `axisLayout` does.
 */
export function axisEdges(axis: Axis): readonly bigint[] {
  assertAxis(axis);
  return edgesOf(axis);
}

/**
 * The values of each slot, as dumps have them: exact, also above 2^53.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when Ceph could not have such an axis.
 * @example
 * ```ts
 * import { axisRanges } from '@hdrscope/ceph';
 *
 * axisRanges({ name: 'Number of items', scale: 'linear', min: 0, quantSize: 10, buckets: 3 });
 * //=> [{ max: -1n }, { min: 0n, max: 9n }, { min: 10n }]
 * ```
 */
export function axisRanges(axis: Axis): AxisRange[] {
  const edges = axisEdges(axis);
  return Array.from({ length: edges.length + 1 }, (_, slot) => ({
    ...(slot > 0 && { min: edges[slot - 1]! }),
    ...(slot < edges.length && { max: edges[slot]! - 1n }),
  }));
}

/**
 * An axis between given bounds, as the release `'next'` may have them. Each bound belongs to the slot below it, as the `le` of
 * Prometheus does. Negative values have a slot of their own, the underflow.
 *
 * @param bounds Integers of at least 0, ascending, in the unit of the axis.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a bound is not such an integer.
 * @example
 * ```ts
 * import { axisRanges, explicitAxis } from '@hdrscope/ceph';
 *
 * axisRanges(explicitAxis('Latency', [5_000_000, 10_000_000], 'ns'));
 * //=> [{ max: -1n }, { min: 0n, max: 5000000n }, { min: 5000001n, max: 10000000n }, { min: 10000001n }]
 * ```
 */
export function explicitAxis(name: string, bounds: readonly number[], unit: AxisUnit = 'none'): Axis {
  if (!Array.isArray(bounds)) throw mustBe('ERR_INVALID_OPTION', 'bounds', 'an array of integers', bounds);
  for (const [i, bound] of (bounds as readonly number[]).entries()) {
    if (Number.isSafeInteger(bound) && bound >= 0 && (i === 0 || bound > bounds[i - 1]!)) continue;
    const allowed = i === 0 ? 'an integer of at least 0' : `an integer above ${bounds[i - 1]}`;
    throw mustBe('ERR_INVALID_OPTION', `bounds[${i}]`, allowed, bound);
  }
  const edges = [0n, ...bounds.map((bound) => BigInt(bound) + 1n)];
  const axis: Axis = {
    name,
    scale: 'explicit',
    min: 0,
    quantSize: 1,
    buckets: edges.length + 1,
    unit,
    edges,
  };
  assertAxis(axis);
  return axis;
}

/**
 * The name of an axis without the unit in parentheses, which may be wrong: `unit` is right. A name that is nothing but
 * parentheses stays whole.
 *
 * @example
 * ```ts
 * import { axisTitle } from '@hdrscope/ceph/internal';
 *
 * axisTitle({ name: 'Request size (bytes)' }); //=> 'Request size'
 * ```
 */
export function axisTitle({ name }: Pick<Axis, 'name'>): string {
  return withoutParentheses(name).trim() || name;
}

/** Drops each part from `(` to the next `)`. A regular expression would look for a missing `)` from each `(`. */
function withoutParentheses(name: string): string {
  let rest = '';
  let from = 0;
  for (let open = name.indexOf('('); open >= 0; open = name.indexOf('(', from)) {
    const close = name.indexOf(')', open);
    if (close < 0) break;
    rest += name.slice(from, open);
    from = close + 1;
  }
  return rest + name.slice(from);
}

/** The index of an axis, by its name or by a part of its name that no other axis has; `undefined` when there is no such axis. */
export function findAxis(axes: readonly Axis[], name: string): number | undefined {
  const exact = axes.findIndex((axis) => axis.name === name);
  if (exact >= 0) return exact;
  const matches = [...axes.keys()].filter((at) => axes[at]!.name.toLowerCase().includes(name.toLowerCase()));
  return matches.length === 1 ? matches[0] : undefined;
}

/** The names of axes for messages: `"Latency (usec)", "Request size (bytes)"`. */
export function axisNames(axes: readonly Axis[]): string {
  return axes.map(({ name }) => JSON.stringify(name)).join(', ');
}

/** The first property that keeps the counts of two axes apart; `undefined` when their counts can be added. */
export function axisDifference(ours: Axis, theirs: Axis): string | undefined {
  if (ours.name !== theirs.name) return 'name';
  if ((ours.unit ?? 'none') !== (theirs.unit ?? 'none')) return 'unit';
  const [edges, others] = [edgesOf(ours), edgesOf(theirs)];
  if (edges.length !== others.length) return 'buckets';
  return edges.every((edge, i) => edge === others[i]) ? undefined : 'ranges';
}

// Dumps are read again and again, so equal axes share a layout, and with it all that is cached for a layout. The limits
// keep the shared layouts within a few MiB, whatever the dumps hold.
const MOST_LAYOUTS = 1000;
const MOST_SHARED_BUCKETS = 512;
const layoutsInUse = new Map<string, EdgeLayout>();

function computedLayout(axis: Axis): EdgeLayout {
  const { scale, min, quantSize, buckets } = axis;
  // The layouts of core have at least one slot between two open ones.
  if (scale === 'explicit' || buckets < 3) return explicitLayout(edgesOf(axis).map(Number), 'lower');
  return scale === 'linear'
    ? linearLayout({ min, width: quantSize, slots: buckets - 2 })
    : log2Layout({ min, quantum: quantSize, slots: buckets - 2 });
}

function edgesOf({ scale, min, quantSize, buckets, edges }: Axis): readonly bigint[] {
  if (edges !== undefined) return edges;
  const [start, quantum] = [BigInt(min), BigInt(quantSize)];
  return Array.from({ length: buckets - 1 }, (_, i) => {
    if (scale === 'linear') return start + BigInt(i) * quantum;
    return i === 0 ? start : start + (quantum << BigInt(i - 1));
  });
}

function assertAxis(axis: Axis): void {
  assertFollows('an axis', object(), axis);
  const { name, scale, min, quantSize, buckets, unit, edges } = axis;
  if (typeof name !== 'string') throw mustBe('ERR_INVALID_OPTION', "an axis's name", 'a string', name);
  const where = `axis "${name}":`;
  if (scale !== 'linear' && scale !== 'log2' && scale !== 'explicit') {
    throw mustBe('ERR_INVALID_OPTION', `${where} scale`, "'linear', 'log2' or 'explicit'", scale);
  }
  if (!Number.isSafeInteger(min)) throw mustBe('ERR_INVALID_OPTION', `${where} min`, 'an integer', min);
  if (!Number.isSafeInteger(quantSize) || quantSize < 1) {
    throw mustBe('ERR_INVALID_OPTION', `${where} quantSize`, 'an integer of at least 1', quantSize);
  }
  if (!Number.isInteger(buckets) || buckets < 1 || buckets > MOST_BUCKETS) {
    throw mustBe('ERR_INVALID_OPTION', `${where} buckets`, `an integer from 1 to ${MOST_BUCKETS}`, buckets);
  }
  if (unit !== undefined && !AXIS_UNITS.includes(unit)) {
    throw mustBe('ERR_INVALID_OPTION', `${where} unit`, `one of ${AXIS_UNITS.join(', ')}`, unit);
  }
  if (scale === 'explicit') assertEdges(where, buckets, edges);
  else {
    if (edges !== undefined) throw mustBe('ERR_INVALID_OPTION', `${where} edges`, 'left out', edges);
    assertReach(where, scale, min, quantSize, buckets);
  }
}

function assertEdges(where: string, buckets: number, edges: readonly bigint[] | undefined): void {
  const areEdges = edges?.every(
    (edge, i) => typeof edge === 'bigint' && (i === 0 || Number(edge) > Number(edges[i - 1]!)),
  );
  if (!areEdges || edges?.length !== buckets - 1) {
    const allowed = `${buckets - 1} ascending bigints, one fewer than buckets`;
    throw mustBe('ERR_INVALID_OPTION', `${where} edges`, allowed, edges);
  }
}

/** Ceph computes the end of the overflow in 64 bits; a larger end would be undefined behaviour there. */
function assertReach(where: string, scale: AxisScale, min: number, quantSize: number, buckets: number): void {
  const [start, quantum] = [BigInt(min), BigInt(quantSize)];
  const end =
    scale === 'linear'
      ? start + quantum * BigInt(buckets - 1)
      : start + (quantum << BigInt(Math.min(Math.max(0, buckets - 2), 64)));
  if (end > LARGEST_VALUE) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      `${where} buckets`,
      'few enough for all edges to be below 2^63',
      buckets,
    );
  }
}
