import { type EdgeLayout, explicitLayout, linearLayout, log2Layout, mustBe } from '@hdrscope/core';
import type { CountedUnit } from '@hdrscope/registry';

/** How the slots of an axis grow. `'explicit'` ones lie where `edges` tells. */
export type AxisScale = 'linear' | 'log2' | 'explicit';

/** What the values of an axis are in. */
export type AxisUnit = Exclude<CountedUnit, 'KiB'>;

/**
 * One dimension of a perf histogram, as Ceph configures it.
 * Source: https://docs.ceph.com/en/latest/dev/perf_histograms/
 */
export interface Axis {
  /** As it stands in dumps: `Latency (usec)`. */
  readonly name: string;
  readonly scale: AxisScale;
  /** What is smaller goes to the first slot, the underflow. An integer. */
  readonly min: number;
  /** The width of the first slot after the underflow; an integer of at least 1. */
  readonly quantSize: number;
  /** How many slots there are, the underflow and the overflow included: an integer of at least 1. */
  readonly buckets: number;
  /** What the values are in, whatever the name says. @default 'none' */
  readonly unit?: AxisUnit;
  /** Where each slot but the first begins, ascending: for an explicit axis, and for no other. */
  readonly edges?: readonly bigint[];
}

/** The values that share a slot: integers, both ends included. The underflow has no `min`, the overflow no `max`. */
export interface AxisRange {
  readonly min?: bigint;
  readonly max?: bigint;
}

export const AXIS_UNITS: readonly AxisUnit[] = ['ns', 'us', 'ms', 's', 'bytes', 'none'];

const LARGEST_VALUE = 2n ** 63n - 1n;
const MOST_BUCKETS = 2 ** 16;

/**
 * The slots of an axis: exact for every integer up to 2^53 − 1.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the axis is none that Ceph could have.
 * @example
 * ```ts
 * import { axisLayout } from '@hdrscope/ceph';
 *
 * const layout = axisLayout({ name: 'Latency (nsec)', scale: 'log2', min: 0, quantSize: 1000, buckets: 4 });
 * [-1, 500, 999, 1000, 1500, 10_000].map((value) => layout.slotOf(value)); //=> [0, 1, 1, 2, 2, 3]
 * ```
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
 * Where each slot but the first begins.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `axisLayout` does.
 */
export function axisEdges(axis: Axis): readonly bigint[] {
  assertAxis(axis);
  return edgesOf(axis);
}

/**
 * The values of each slot, as dumps tell them: exact, also above 2^53.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `axisLayout` does.
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
 * The name of an axis without the unit behind it, which may be wrong: `unit` tells the right one. The whole name where it
 * is nothing else.
 *
 * @example
 * ```ts
 * import { axisTitle } from '@hdrscope/ceph';
 *
 * axisTitle({ name: 'Request size (bytes)' }); //=> 'Request size'
 * ```
 */
export function axisTitle({ name }: Pick<Axis, 'name'>): string {
  return name.replace(/\([^)]*\)/g, '').trim() || name;
}

/** Names what is different between two axes, if anything is that keeps their counts apart. */
export function axisDifference(ours: Axis, theirs: Axis): string | undefined {
  if (ours.name !== theirs.name) return 'name';
  if ((ours.unit ?? 'none') !== (theirs.unit ?? 'none')) return 'unit';
  const [edges, others] = [edgesOf(ours), edgesOf(theirs)];
  if (edges.length !== others.length) return 'buckets';
  return edges.every((edge, i) => edge === others[i]) ? undefined : 'ranges';
}

// Dumps are read again and again: layouts of equal axes are one, and so is what is computed for them. No text makes them
// take more than a few MiB.
const MOST_LAYOUTS = 1000;
const MOST_SHARED_BUCKETS = 512;
const layoutsInUse = new Map<string, EdgeLayout>();

function computedLayout(axis: Axis): EdgeLayout {
  const { scale, min, quantSize, buckets } = axis;
  // Core's layouts have two open slots and one between them, at least.
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

function assertAxis({ name, scale, min, quantSize, buckets, unit, edges }: Axis): void {
  if (typeof name !== 'string') throw mustBe('ERR_INVALID_OPTION', "an axis's name", 'a text', name);
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
    const allowed = `${buckets - 1} ascending bigints, as there are ${buckets} buckets`;
    throw mustBe('ERR_INVALID_OPTION', `${where} edges`, allowed, edges);
  }
}

/** Ceph computes where the overflow would end, in 64 bits: what exceeds them would be undefined there. */
function assertReach(where: string, scale: AxisScale, min: number, quantSize: number, buckets: number): void {
  const [start, quantum] = [BigInt(min), BigInt(quantSize)];
  const end =
    scale === 'linear'
      ? start + quantum * BigInt(buckets - 1)
      : start + (quantum << BigInt(Math.min(Math.max(0, buckets - 2), 64)));
  if (end > LARGEST_VALUE) {
    throw mustBe('ERR_INVALID_OPTION', `${where} buckets`, 'so few that all edges are below 2^63', buckets);
  }
}
