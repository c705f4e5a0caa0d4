import {
  type Counted,
  countedIn,
  type ExponentialLayout,
  exponentialLayout,
  HdrscopeError,
} from '@hdrscope/core';
import {
  assertText,
  exponentialIndex,
  type IndexRange,
  isExponentialLayout,
  isHdrLayout,
  isScaledLayout,
  justifiedScale,
  mustBe,
} from '@hdrscope/core/internal';
import { asArray, asCount, asFinite, asObject, Budget, type JsonObject, parseJson } from '@hdrscope/kit';
import { measureRange } from './conversion.ts';
import { splitBuckets } from './otlp.ts';
import {
  type CountedRange,
  countRanges,
  type Sketch,
  type SketchFacts,
  type SketchTarget,
} from './sketch.ts';

// The JSON of the field type `exponential_histogram`. Bucket `i` of scale `s` covers (2^(i / 2^s), 2^((i + 1) / 2^s)].
// Source: https://www.elastic.co/docs/reference/elasticsearch/mapping-reference/exponential-histogram
const LEAST_SCALE = -11;
const MOST_SCALE = 38;

/** Scales of exponential layouts. At other scales, each bucket has bounds of its own. */
const [LAYOUT_LEAST_SCALE, LAYOUT_MOST_SCALE] = [-10, 20];
/** More slots from the first to the last bucket are not laid out: a text of two buckets must not fill the memory. */
const MOST_SLOTS = 65_536;
const LIMITS = { elements: 1_000_000, depth: 8 };

interface Side {
  readonly indices: readonly number[];
  readonly counts: readonly number[];
}

/**
 * Reads a value of Elasticsearch's field type `exponential_histogram`.
 *
 * @param text The JSON of the value, not of the document around it.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `text` is no text; `ERR_DECODE` when the text is not such a value, or its bucket counts contradict each other; `ERR_TOO_LARGE` when it has
 *   more than a million elements.
 * @example
 * ```ts
 * import { findQuantile } from '@hdrscope/core';
 * import { readElasticsearch } from '@hdrscope/inputs/sketches';
 *
 * const value = '{"scale":0,"zero":{"count":1},"positive":{"indices":[-1,2],"counts":[2,3]}}';
 * const { counted } = readElasticsearch(value);
 * [counted.counts.total, findQuantile(counted, 0.99).upper]; //=> [6, 8]
 * ```
 */
export function readElasticsearch(text: string): Sketch {
  assertText('the text', text);
  const value = asObject(parseJson(text, 'the text', new Budget('the text', LIMITS)), 'the value');
  const scale = asFinite(value.scale, 'scale');
  if (!Number.isInteger(scale) || scale < LEAST_SCALE || scale > MOST_SCALE) {
    throw mustBe('ERR_DECODE', 'scale', `an integer from ${LEAST_SCALE} to ${MOST_SCALE}`, scale);
  }
  const zero = value.zero === undefined ? {} : asObject(value.zero, 'zero');
  const zeroCount = zero.count === undefined ? 0 : asCount(zero.count, 'zero.count');
  const zeroThreshold = zero.threshold === undefined ? 0 : asFinite(zero.threshold, 'zero.threshold');
  if (zeroThreshold < 0) throw mustBe('ERR_DECODE', 'zero.threshold', 'at least 0', zeroThreshold);
  const [positive, negative] = [readSide(value.positive, 'positive'), readSide(value.negative, 'negative')];
  return {
    counted: countBuckets({ scale, zeroCount, zeroThreshold, positive, negative }),
    ...readFact(value, 'sum'),
    ...readFact(value, 'min'),
    ...readFact(value, 'max'),
  };
}

/** An empty histogram has no extremes, and other writers state nulls. */
function readFact(value: JsonObject, name: keyof SketchFacts): SketchFacts {
  return value[name] == null ? {} : { [name]: asFinite(value[name], name) };
}

function readSide(value: unknown, where: string): Side {
  if (value === undefined) return { indices: [], counts: [] };
  const side = asObject(value, where);
  const indices = asArray(side.indices ?? [], `${where}.indices`).map((one, at) => {
    const index = asFinite(one, `${where}.indices[${at}]`);
    if (Number.isSafeInteger(index)) return index;
    throw mustBe('ERR_DECODE', `${where}.indices[${at}]`, 'an integer', index);
  });
  const counts = asArray(side.counts ?? [], `${where}.counts`).map((one, at) =>
    asCount(one, `${where}.counts[${at}]`),
  );
  if (indices.length !== counts.length) {
    throw mustBe(
      'ERR_DECODE',
      `${where}.counts`,
      `as long as indices, which is ${indices.length}`,
      counts.length,
    );
  }
  // In any order, each once.
  const order = [...indices.keys()].sort((a, b) => indices[a]! - indices[b]!);
  const twice = order.find((at, i) => i > 0 && indices[at] === indices[order[i - 1]!]);
  if (twice !== undefined)
    throw new HdrscopeError('ERR_DECODE', `${where}.indices has ${indices[twice]} twice`);
  const used = order.filter((at) => counts[at] !== 0);
  return { indices: used.map((at) => indices[at]!), counts: used.map((at) => counts[at]!) };
}

/** Buckets of an exponential histogram, without those that have counted nothing. */
interface Buckets {
  readonly scale: number;
  readonly zeroCount: number;
  readonly zeroThreshold: number;
  readonly positive: Side;
  readonly negative: Side;
}

function countBuckets(buckets: Buckets): Counted {
  const { scale, zeroCount, zeroThreshold, positive, negative } = buckets;
  const [range, below] = [findRange(positive), findRange(negative)];
  const slots = [range, below].reduce(
    (sum, one) => sum + (one === undefined ? 0 : one.maxIndex - one.minIndex + 1),
    0,
  );
  if (scale < LAYOUT_LEAST_SCALE || scale > LAYOUT_MOST_SCALE || slots > MOST_SLOTS)
    return countApart(buckets);
  const layout = makeLayout({
    scale,
    zeroThreshold,
    ...(range ?? { minIndex: 0, maxIndex: 0 }),
    negative: below,
  });
  const { zeroSlot, minIndex } = layout;
  const counts = new Float64Array(layout.slotCount);
  counts[zeroSlot] = zeroCount;
  for (const [at, index] of positive.indices.entries())
    counts[zeroSlot + index - minIndex + 1] = positive.counts[at]!;
  for (const [at, index] of negative.indices.entries())
    counts[zeroSlot - (index - below!.minIndex) - 1] = negative.counts[at]!;
  return countedIn(layout, counts);
}

function makeLayout(options: Parameters<typeof exponentialLayout>[0]): ExponentialLayout {
  try {
    return exponentialLayout(options);
  } catch (error) {
    throw new HdrscopeError('ERR_DECODE', `a bucket lies beyond the doubles: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function findRange({ indices }: Side): IndexRange | undefined {
  return indices.length === 0 ? undefined : { minIndex: indices[0]!, maxIndex: indices.at(-1)! };
}

/** Counts buckets that are too fine or too far apart for one layout of all of them. */
function countApart({ scale, zeroCount, zeroThreshold, positive, negative }: Buckets): Counted {
  const bound = (index: number): number => 2 ** (index * 2 ** -scale);
  const listRanges = ({ indices, counts }: Side): CountedRange[] =>
    indices.map((index, at) => ({
      lower: Math.max(bound(index), zeroThreshold),
      upper: bound(index + 1),
      count: counts[at]!,
    }));
  const below = listRanges(negative).reverse();
  const zero = { lower: -zeroThreshold, upper: zeroThreshold || Number.MIN_VALUE, count: zeroCount };
  return countRanges(
    [
      ...below.map(({ lower, upper, count }) => ({ lower: -upper, upper: -lower, count })),
      ...(zeroCount > 0 ? [zero] : []),
      ...listRanges(positive),
    ],
    'upper',
  );
}

// Writing.

/** How exponential buckets are made. */
export interface ExponentialTargetOptions {
  /** The most buckets on one side of 0: an integer of at least 2. The finest scale that needs no more is taken. @default 160 */
  readonly buckets?: number | undefined;
}

const DEFAULT_BUCKETS = 160;

/**
 * Prepares exponential buckets for values. Those of an exponential layout are kept.
 *
 * @param mostScale The finest scale of the form: from -10 to 20.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `buckets` is outside its range.
 */
export function planExponential(
  counted: Counted,
  { buckets }: ExponentialTargetOptions = {},
  mostScale: number = LAYOUT_MOST_SCALE,
): ExponentialLayout {
  const { layout } = counted;
  if (buckets === undefined && isExponentialLayout(layout) && layout.scale <= mostScale) return layout;
  if (buckets !== undefined && !(Number.isSafeInteger(buckets) && buckets >= 2)) {
    throw mustBe('ERR_INVALID_OPTION', 'buckets', 'an integer of at least 2', buckets);
  }
  const { least, most, aroundZero, hasNegative, narrowest } = measureRange(counted);
  const isFiner = (scale: number): boolean =>
    exponentialIndex(scale, most) - exponentialIndex(scale, least) >= (buckets ?? DEFAULT_BUCKETS);
  let scale = Math.min(finestScale(layout, narrowest), mostScale);
  while (scale > LAYOUT_LEAST_SCALE && isFiner(scale)) scale--;
  const range = { minIndex: exponentialIndex(scale, least), maxIndex: exponentialIndex(scale, most) };
  return exponentialLayout({
    scale,
    ...range,
    ...(hasNegative && { negative: range }),
    zeroThreshold: aroundZero,
  });
}

/** The scale at which buckets are about as wide as the narrowest slot. Finer ones would have gaps between them. */
function finestScale(layout: Counted['layout'], narrowest: number): number {
  const inTicks = isScaledLayout(layout) ? layout.inTicks : layout;
  if (isHdrLayout(inTicks)) return justifiedScale(inTicks);
  const fitting = Math.ceil(-Math.log2(Math.log2(narrowest)));
  return Math.min(
    Math.max(Number.isFinite(fitting) ? fitting : LAYOUT_MOST_SCALE, LAYOUT_LEAST_SCALE),
    LAYOUT_MOST_SCALE,
  );
}

/** A value of the field type `exponential_histogram`. The sum and the extremes are written where they are known. */
export function targetElasticsearch(layout: ExponentialLayout): SketchTarget {
  const { scale, zeroSlot, zeroThreshold } = layout;
  return {
    layout,
    write(counts, { sum, min, max }) {
      const { positive, negative } = splitBuckets(layout, counts);
      const zeroCount = counts.at(zeroSlot);
      const value = {
        scale,
        ...(sum !== undefined && { sum }),
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
        ...((zeroCount > 0 || zeroThreshold > 0) && { zero: { count: zeroCount, threshold: zeroThreshold } }),
        ...(positive.length > 0 && { positive: makeSide(positive) }),
        ...(negative.length > 0 && { negative: makeSide(negative) }),
      };
      return `${JSON.stringify(value)}\n`;
    },
  };
}

function makeSide(buckets: readonly (readonly [index: number, count: number])[]): Side {
  return { indices: buckets.map(([index]) => index), counts: buckets.map(([, count]) => count) };
}
