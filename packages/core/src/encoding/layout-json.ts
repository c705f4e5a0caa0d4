import type { DenseCounts } from '../counts/dense.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { HdrscopeError, malformed, mustBe } from '../errors.ts';
import { areAscending, type EdgeLayout, edgeLayout, type InclusiveBound } from '../layout/edges.ts';
import { type ExponentialLayout, exponentialLayout, type IndexRange } from '../layout/exponential.ts';
import { isHdrLayout } from '../layout/hdr.ts';
import { type IntegerLayout, integerLayout } from '../layout/integer.ts';
import type { Layout, LayoutKind } from '../layout/layout.ts';
import { type HdrLayoutJson, hdrLayoutOf, hdrLayoutToJson } from './json.ts';
import { type CountsJson, countsOf, countsToJson, type JsonFields, jsonFields } from './json-fields.ts';

/** A layout as plain data. */
export type LayoutJson =
  | ({ readonly kind: 'hdr' } & HdrLayoutJson)
  | {
      readonly kind: 'exponential';
      readonly scale: number;
      readonly minIndex: number;
      readonly maxIndex: number;
      readonly negative?: IndexRange;
      readonly zeroThreshold: number;
    }
  | {
      readonly kind: 'explicit' | 'linear' | 'log2' | 'log-linear' | 'decimal';
      readonly edges: readonly number[];
      readonly inclusive: InclusiveBound;
    }
  | {
      readonly kind: 'integers';
      readonly bounds: readonly number[];
      /** `null` when the first slot is open downwards. */
      readonly lowest: number | null;
    };

/** A `LayoutHistogram` as plain data: what `JSON.stringify` writes. It has everything but the storage. */
export interface LayoutHistogramJson {
  /** Marks the class: `fromJSON` of `LayoutHistogram` takes no other text. */
  readonly type: 'layout';
  /** Version of this shape. Readers refuse any other number. */
  readonly version: 1;
  /** The layout that `counts` are over. */
  readonly layout: LayoutJson;
  /** The used slots and their counts, ascending. */
  readonly counts: CountsJson;
}

/**
 * The histogram as plain data.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when the layout comes from none of the functions that make layouts.
 */
export function layoutHistogramToJson(layout: Layout, counts: ReadonlyCounts): LayoutHistogramJson {
  return { type: 'layout', version: 1, layout: layoutToJson(layout), counts: countsToJson(counts) };
}

// A short text must not make memory for a layout of any size. These take 64 MiB; the largest HDR layout has a third of them.
const MOST_SLOTS = 2 ** 24;

/**
 * Reads the result of `layoutHistogramToJson`, maybe after `JSON.parse`.
 *
 * @throws HdrscopeError `ERR_DECODE` when `json` is anything else, or its layout has more than 2^24 slots; the message names the
 *   place and the fault.
 */
export function layoutHistogramFromJson(json: unknown): {
  readonly layout: Layout;
  readonly counts: DenseCounts;
} {
  const fields = jsonFields(json, 'layout');
  const description = fields.layout;
  if (typeof description !== 'object' || description === null) {
    throw malformed('json.layout', 'an object as toJSON makes it', description);
  }
  const layout = layoutFrom(description as JsonFields);
  const { slotCount } = layout;
  if (slotCount > MOST_SLOTS) throw malformed('json.layout', `of at most ${MOST_SLOTS} slots`, slotCount);
  return { layout, counts: countsOf(fields, slotCount) };
}

function layoutToJson(layout: Layout): LayoutJson {
  if (isHdrLayout(layout)) return { kind: 'hdr', ...hdrLayoutToJson(layout) };
  if ('edges' in layout) {
    const { kind, edges, lowerInclusive } = layout as EdgeLayout;
    return { kind: kind as EdgeKind, edges, inclusive: lowerInclusive ? 'lower' : 'upper' };
  }
  if ('scale' in layout) {
    const { scale, minIndex, maxIndex, negative, zeroThreshold } = layout as ExponentialLayout;
    return {
      kind: 'exponential',
      scale,
      minIndex,
      maxIndex,
      ...(negative !== undefined && { negative }),
      zeroThreshold,
    };
  }
  if ('bounds' in layout) {
    const { bounds } = layout as IntegerLayout;
    const lowest = layout.lower(0);
    return { kind: 'integers', bounds, lowest: Number.isFinite(lowest) ? lowest : null };
  }
  throw mustBe('ERR_INCOMPATIBLE', 'the layout', 'one that explicitLayout or its siblings return', layout);
}

type EdgeKind = Extract<LayoutKind, 'explicit' | 'linear' | 'log2' | 'log-linear' | 'decimal'>;
const EDGE_KINDS: readonly unknown[] = [
  'explicit',
  'linear',
  'log2',
  'log-linear',
  'decimal',
] satisfies EdgeKind[];

function layoutFrom(fields: JsonFields): Layout {
  const { kind } = fields;
  try {
    if (kind === 'hdr') return hdrLayoutOf(fields);
    if (kind === 'exponential') {
      const { kind: _kind, ...options } = fields;
      return exponentialLayout(options as never);
    }
    if (kind === 'integers') {
      const { bounds, lowest } = fields;
      return integerLayout(numbersOf('bounds', bounds), lowest === null ? -Infinity : (lowest as number));
    }
    if (EDGE_KINDS.includes(kind)) {
      const edges = numbersOf('edges', fields.edges);
      if (!areAscending(edges)) throw malformed('json.layout.edges', 'finite and ascending', edges);
      return edgeLayout(kind as EdgeKind, edges, fields.inclusive as InclusiveBound);
    }
  } catch (cause) {
    throw new HdrscopeError('ERR_DECODE', `the layout in json is impossible: ${(cause as Error).message}`, {
      cause,
    });
  }
  throw malformed('json.layout.kind', 'the kind of a layout', kind);
}

function numbersOf(name: string, numbers: unknown): number[] {
  if (Array.isArray(numbers) && numbers.every((number) => typeof number === 'number')) return [...numbers];
  throw malformed(`json.layout.${name}`, 'an array of numbers', numbers);
}
