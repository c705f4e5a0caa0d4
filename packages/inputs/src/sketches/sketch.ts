import {
  type Counted,
  countedIn,
  type EdgeLayout,
  explicitLayout,
  HdrscopeError,
  type Layout,
  type ReadonlyCounts,
} from '@hdrscope/core';

/** A distribution that another program has counted, and what its form states beyond the counts. */
export interface Sketch {
  /** Counts over the slots of the form, in the unit of the values. */
  readonly counted: Counted;
  /** The sum of all values, in their unit. @default the form does not state it */
  readonly sum?: number | undefined;
  /** The smallest value, in the unit of the values. @default the form does not state it */
  readonly min?: number | undefined;
  /** The largest value, in the unit of the values. @default the form does not state it */
  readonly max?: number | undefined;
}

/** A sketch of a form that has several. */
export interface NamedSketch extends Sketch {
  /** The name of the metric. */
  readonly name: string;
  /** The labels, by their names. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** A slot of a sketch. */
export interface CountedRange {
  /** Its lower bound; `-Infinity` when it is open. */
  readonly lower: number;
  /** Its upper bound, at least the lower one; `Infinity` when it is open. */
  readonly upper: number;
  readonly count: number;
  /** The range of the slot if it has taken no values beyond it. @default the range */
  readonly nominal?: SlotBounds | undefined;
}

/** Where the values of a slot lie. */
export interface SlotBounds {
  readonly lower: number;
  readonly upper: number;
}

/** Slots of which some may have taken values from beside them. They have all bounds that are possible, and nominal middles. */
export interface CollapsibleLayout extends EdgeLayout {
  /** The ranges of such slots if they have taken no values from beside them, by slot. */
  readonly nominal: ReadonlyMap<number, SlotBounds>;
}

/** The nominal range of a slot that may have taken values from beside it; `undefined` for other slots. */
export function findNominal(layout: Layout, slot: number): SlotBounds | undefined {
  return 'nominal' in layout ? (layout as CollapsibleLayout).nominal.get(slot) : undefined;
}

/** The range of a slot if it has taken no values from beside it. */
export function findNominalBounds(layout: Layout, slot: number): SlotBounds {
  return findNominal(layout, slot) ?? { lower: layout.lower(slot), upper: layout.upper(slot) };
}

/**
 * Makes counts of the slots that a sketch has used. Ranges without values lie between them, so that the number of slots depends on the
 * number of ranges only.
 *
 * @param ranges Ascending. Neighbours may share a bound, and nothing else.
 * @throws HdrscopeError `ERR_DECODE` when ranges overlap, or a bound is not a number.
 */
export function countRanges(
  ranges: readonly CountedRange[],
  inclusive: 'lower' | 'upper',
): Counted<EdgeLayout> {
  const edges: number[] = [];
  // The slot below the first edge.
  const counts: number[] = [0];
  const nominal = new Map<number, SlotBounds>();
  for (const { lower, upper, count, nominal: range } of ranges) {
    const last = edges.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (!(lower >= last && upper > lower)) {
      throw new HdrscopeError(
        'ERR_DECODE',
        `slots must ascend and not overlap, got one from ${lower} to ${upper} after ${last}`,
      );
    }
    if (lower > last) {
      edges.push(lower);
      counts.push(0);
    }
    counts[edges.length] = count;
    if (range !== undefined) nominal.set(edges.length, range);
    if (upper === Number.POSITIVE_INFINITY) continue;
    edges.push(upper);
    counts.push(0);
  }
  const layout = explicitLayout(edges, inclusive);
  return countedIn(nominal.size === 0 ? layout : collapsibleLayout(layout, nominal), counts);
}

function collapsibleLayout(layout: EdgeLayout, nominal: ReadonlyMap<number, SlotBounds>): CollapsibleLayout {
  return {
    ...layout,
    nominal,
    midpoint(slot) {
      const range = nominal.get(slot);
      return range === undefined ? layout.midpoint(slot) : (range.lower + range.upper) / 2;
    },
  };
}

/**
 * Checks a count of a form whose counts are doubles.
 *
 * @param where Names the count in the error.
 * @throws HdrscopeError `ERR_DECODE` when it is not an integer from 0 to 2^53 − 1.
 */
export function assertSketchCount(count: number, where: string): void {
  if (Number.isSafeInteger(count) && count >= 0) return;
  const cure = count > 0 && count <= Number.MAX_SAFE_INTEGER ? ': weighted counts cannot be counted' : '';
  throw new HdrscopeError(
    'ERR_DECODE',
    `${where} must be an integer from 0 to 2^53 - 1, got ${count}${cure}`,
  );
}

/** The slots of a form for some counts, and the way to write counts over them. */
export interface SketchTarget {
  readonly layout: Layout;
  /** Whether the last slot, which has no upper bound, is one of the form, or the first one too. @default neither is */
  readonly openSlots?: 'last' | 'both';
  /**
   * Writes counts over the layout.
   *
   * @param facts The sum and the extremes of the values, where they are known.
   */
  write(counts: ReadonlyCounts, facts: SketchFacts): string | Uint8Array;
}

/** What is known of values beyond their counts. */
export type SketchFacts = Pick<Sketch, 'sum' | 'min' | 'max'>;
