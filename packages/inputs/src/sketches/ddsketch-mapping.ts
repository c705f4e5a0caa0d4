import { HdrscopeError } from '@hdrscope/core';

/**
 * The library that wrote the protobuf of a DDSketch. The message does not state it, and the libraries disagree on its meaning:
 *
 * - `'sketches-go'` and `'sketches-java'` count `[edge(i), edge(i + 1))` at index `i`, and `gamma` is the base of the interpolated logarithm.
 * - `'sketches-js'` and `'sketches-py'` count `(edge(i - 1), edge(i)]` there, and `gamma` is (1 + accuracy) / (1 − accuracy) in all mappings.
 *   Their mappings of the type LINEAR differ: that of sketches-js is an exact logarithm.
 *
 * So bytes of sketches-js that are read as those of sketches-go are all one slot too high.
 */
export type DdsketchWriter = (typeof DDSKETCH_WRITERS)[number];

/** All writers. */
export const DDSKETCH_WRITERS = ['sketches-go', 'sketches-java', 'sketches-js', 'sketches-py'] as const;

/** The names of `IndexMapping.Interpolation`, by their numbers. */
export const INTERPOLATIONS = ['NONE', 'LINEAR', 'QUADRATIC', 'CUBIC'] as const;
export type Interpolation = (typeof INTERPOLATIONS)[number];

/** What a message states of its slots. */
export interface DdsketchMapping {
  /** Above 1 and finite. */
  readonly gamma: number;
  /** Added to all indexes: finite. */
  readonly indexOffset: number;
  readonly interpolation: Interpolation;
}

/** The slots of a mapping, as a writer numbers them. */
export interface DdsketchSlots {
  /** The bounds of the slot of an index; both are positive, and the upper one may be `Infinity`. */
  bounds(index: number): { readonly lower: number; readonly upper: number };
  /** The bound that belongs to a slot. */
  readonly inclusive: 'lower' | 'upper';
  /** Values whose absolute value is at most this one are in the zero count. Above 0. */
  readonly zeroBound: number;
}

const LEAST_INDEX = -(2 ** 31);
const MIN_NORMAL = 2 ** -1022;
/** By how much the logarithm to the base gamma grows faster than an exact one where it grows the least. */
const CORRECTIONS: Readonly<Record<Interpolation, number>> = {
  NONE: 1,
  LINEAR: 1 / Math.LN2,
  QUADRATIC: 3 / (4 * Math.LN2),
  CUBIC: 7 / (10 * Math.LN2),
};
const CUBIC_FACTOR = 10 / 7;

/**
 * The slots of a mapping. Bounds are exact up to the rounding of logarithms, a relative error of some 10^-12: a value that is that near to a
 * bound may be in the neighbouring slot.
 * Source: `IndexMapping` of sketches-go and sketches-java, `KeyMapping` of sketches-js and sketches-py.
 *
 * @throws HdrscopeError `ERR_DECODE` when the mapping has no slots, or its writer has no such mapping.
 */
export function ddsketchSlots(mapping: DdsketchMapping, writer: DdsketchWriter): DdsketchSlots {
  const { gamma, indexOffset, interpolation } = mapping;
  if (!(gamma > 1 && gamma < Number.POSITIVE_INFINITY))
    throw wrongMapping('gamma', 'finite and above 1', gamma);
  if (!Number.isFinite(indexOffset)) throw wrongMapping('indexOffset', 'finite', indexOffset);
  const isFloor = writer === 'sketches-go' || writer === 'sketches-java';
  if (interpolation === 'QUADRATIC' && writer !== 'sketches-java') {
    throw wrongMapping(
      'interpolation',
      `one that ${writer} has, and QUADRATIC is of sketches-java only`,
      interpolation,
    );
  }
  const step = Math.log1p(gamma - 1);
  const edge = isFloor ? floorEdge(interpolation, step) : ceilingEdge(interpolation, step, writer);
  const at = (index: number): number => edge(index - indexOffset);
  const accurateGamma = isFloor ? gamma ** CORRECTIONS[interpolation] : gamma;
  const least = isFloor ? Math.max(at(LEAST_INDEX + 1), MIN_NORMAL * accurateGamma) : MIN_NORMAL * gamma;
  return {
    bounds: isFloor
      ? (index) => ({ lower: at(index), upper: at(index + 1) })
      : (index) => ({ lower: at(index - 1), upper: at(index) }),
    inclusive: isFloor ? 'lower' : 'upper',
    zeroBound: writer === 'sketches-js' ? least / 2 : least,
  };
}

type Edge = (steps: number) => number;

function floorEdge(interpolation: Interpolation, step: number): Edge {
  if (interpolation === 'NONE') return (steps) => Math.exp(steps * step);
  const inverse = INVERSES[interpolation];
  return (steps) => inverse((steps * step) / Math.LN2);
}

function ceilingEdge(interpolation: Interpolation, step: number, writer: DdsketchWriter): Edge {
  if (interpolation === 'NONE') return (steps) => Math.exp(steps * step);
  if (interpolation === 'CUBIC') return (steps) => INVERSES.CUBIC(steps * step * CUBIC_FACTOR);
  return writer === 'sketches-js' ? (steps) => 2 ** (steps * step) : (steps) => INVERSES.LINEAR(steps * step);
}

/** The inverses of the interpolated logarithms to the base 2: their values at integers are powers of two. */
const INVERSES: Readonly<Record<Exclude<Interpolation, 'NONE'>, Edge>> = {
  LINEAR: (x) => (x - Math.floor(x) + 1) * 2 ** Math.floor(x),
  QUADRATIC: (x) => (3 - Math.sqrt(4 - 3 * (x - Math.floor(x)))) * 2 ** Math.floor(x),
  // Cardano's formula for (6/35 s³ - 3/5 s² + 10/7 s) = x.
  CUBIC: (x) => {
    const [a, b, c] = [6 / 35, -3 / 5, CUBIC_FACTOR];
    const exponent = Math.floor(x);
    const d0 = b * b - 3 * a * c;
    const d1 = 2 * b ** 3 - 9 * a * b * c - 27 * a * a * (x - exponent);
    const p = Math.cbrt((d1 - Math.sqrt(d1 * d1 - 4 * d0 ** 3)) / 2);
    return (1 - (b + p + d0 / p) / (3 * a)) * 2 ** exponent;
  },
};

function wrongMapping(field: string, allowed: string, actual: unknown): HdrscopeError {
  return new HdrscopeError('ERR_DECODE', `mapping.${field} must be ${allowed}, got ${actual}`);
}
