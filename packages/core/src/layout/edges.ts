import { middle } from '../double.ts';
import { mustBe } from '../errors.ts';
import { custom, type OptionRule } from '../options.ts';
import type { Layout, LayoutKind } from './layout.ts';

/** The bound that belongs to a slot: the upper one in OpenTelemetry and Prometheus, the lower one in Ceph and most kernel tools. */
export type InclusiveBound = 'lower' | 'upper';

/**
 * A layout of slots between edges. The first slot is open downwards and the last one upwards, so every number has a slot, and
 * there is one slot more than there are edges.
 */
export interface EdgeLayout extends Layout {
  /** The bounds between slots, ascending and finite: one fewer than slots. */
  readonly edges: readonly number[];
}

/**
 * A layout from ascending edges.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `inclusive` is neither bound.
 */
export function edgeLayout(
  kind: LayoutKind,
  edges: readonly number[],
  inclusive: InclusiveBound,
): EdgeLayout {
  if (inclusive !== 'lower' && inclusive !== 'upper') {
    throw mustBe('ERR_INVALID_OPTION', 'inclusive', "'lower' or 'upper'", inclusive);
  }
  const slotCount = edges.length + 1;
  const lower = (slot: number): number => (slot === 0 ? Number.NEGATIVE_INFINITY : edges[slot - 1]!);
  const upper = (slot: number): number => (slot === slotCount - 1 ? Number.POSITIVE_INFINITY : edges[slot]!);
  return {
    kind,
    edges,
    slotCount,
    lowerInclusive: inclusive === 'lower',
    upperInclusive: inclusive === 'upper',
    slotOf: inclusive === 'lower' ? (value) => edgesUpTo(edges, value) : (value) => edgesBelow(edges, value),
    lower,
    upper,
    midpoint(slot) {
      if (slotCount === 1) return 0;
      if (slot === 0) return upper(slot);
      if (slot === slotCount - 1) return lower(slot);
      return middle(lower(slot), upper(slot));
    },
  };
}

/**
 * Slots between given bounds: Prometheus' classic and OpenTelemetry's explicit buckets.
 *
 * @param bounds Finite and ascending. The first slot is open downwards, and the last one upwards.
 * @param inclusive The bound that belongs to a slot.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the bounds are not finite and ascending.
 * @example
 * ```ts
 * import { explicitLayout } from '@hdrscope/core';
 *
 * const layout = explicitLayout([0.1, 0.5, 1]);
 * [0.05, 0.1, 0.11, 7].map((value) => layout.slotOf(value)); //=> [0, 0, 1, 3]
 * ```
 */
export function explicitLayout(bounds: readonly number[], inclusive: InclusiveBound = 'upper'): EdgeLayout {
  if (!Array.isArray(bounds)) throw mustBe('ERR_INVALID_OPTION', 'bounds', 'an array of numbers', bounds);
  if (!areAscending(bounds)) {
    const i = bounds.findIndex((_, at) => !areAscending(bounds.slice(0, at + 1)));
    throw mustBe('ERR_INVALID_OPTION', `bounds[${i}]`, 'finite and above the bound before it', bounds[i]);
  }
  return edgeLayout('explicit', [...bounds], inclusive);
}

/** Whether all edges are finite, and each is above the one before it. */
export function areAscending(edges: readonly number[]): boolean {
  return edges.every((edge, i) => Number.isFinite(edge) && (i === 0 || edge > edges[i - 1]!));
}

/** The rule of a width or a quantum. Whether it keeps the edges apart depends on other options too: see `assertApart`. */
export const STEP: OptionRule<number> = /* @__PURE__ */ custom(
  'a positive number that keeps the edges from min on apart',
  (value) => typeof value === 'number',
);

/** @throws HdrscopeError `ERR_INVALID_OPTION` unless the edges that a width or a quantum makes are finite and ascending. */
export function assertApart(what: string, step: number, edges: readonly number[]): void {
  if (!areAscending(edges)) throw mustBe('ERR_INVALID_OPTION', what, STEP.allowed, step);
}

function edgesUpTo(edges: readonly number[], value: number): number {
  let from = 0;
  let to = edges.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (edges[middle]! <= value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** How many edges are below a value: its slot, where each edge belongs to the slot below it. */
export function edgesBelow(edges: readonly number[], value: number): number {
  let from = 0;
  let to = edges.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (edges[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
