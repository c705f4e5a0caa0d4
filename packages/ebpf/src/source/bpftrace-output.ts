import type { HdrscopeError, IntegerLayout } from '@hdrscope/core';
import { integerBefore, mustBe } from '@hdrscope/core/internal';
import { Budget, isObject, type JsonObject, parseJson } from '@hdrscope/kit';
import type { Attributes } from '@hdrscope/registry';
import { kernelError } from '../errors.ts';
import { explicitKernelLayout, type KernelLayout } from '../layout/kernel-layout.ts';
import { bpftraceHistLayout } from '../layout/presets.ts';
import type { KernelHistogram } from './source.ts';

/** A line that `bpftrace -f json` prints. */
export type BpftraceLine =
  | { readonly kind: 'histograms'; readonly variable: string; readonly printed: readonly PrintedHistogram[] }
  | { readonly kind: 'attached' }
  | { readonly kind: 'lost'; readonly events: number }
  | { readonly kind: 'other' };

/** The histogram of one key of a map; `key` is `undefined` when the variable is not a map. */
export interface PrintedHistogram {
  readonly key: string | undefined;
  readonly buckets: readonly PrintedBucket[];
}

/** The count of the integers from `min` to `max`, both inclusive. */
export interface PrintedBucket {
  /** `-Infinity` when the bucket is open downwards. */
  readonly min: number;
  /** `Infinity` when the bucket is open upwards. */
  readonly max: number;
  /** Whether this is the last bucket of `hist()` in bpftrace up to 0.17, which holds all integers from 2^31 on. */
  readonly isCapped: boolean;
  readonly count: number;
}

/**
 * Parses a line of `bpftrace -f json`. A line of an unknown type has the kind `other`.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the line is not JSON, or is a histogram without bounds or counts; `ERR_TOO_LARGE` when it is
 *   deeper or denser than any line of bpftrace.
 */
export function parseBpftraceLine(line: string): BpftraceLine {
  if (line.trim() === '') return { kind: 'other' };
  const { type, data } = asObject(parsed(line), line);
  if (type === 'attached_probes') return { kind: 'attached' };
  if (type === 'lost_events') {
    return { kind: 'lost', events: countOf(asObject(data, line).events, line) };
  }
  if (type !== 'hist') return { kind: 'other' };
  const [entry] = Object.entries(asObject(data, line));
  if (entry === undefined) return { kind: 'other' };
  const [variable, held] = entry;
  const printed = Array.isArray(held)
    ? [{ key: undefined, buckets: bucketsOf(held, line) }]
    : Object.entries(asObject(held, line)).map(([key, buckets]) => ({
        key,
        buckets: bucketsOf(buckets, line),
      }));
  return { kind: 'histograms', variable, printed };
}

function bucketsOf(printed: unknown, line: string): PrintedBucket[] {
  if (!Array.isArray(printed)) throw malformed(line);
  return printed.map((item) => {
    const { min, max, count } = asObject(item, line);
    if (min === undefined && max === undefined) throw malformed(line);
    const bucket = {
      min: min === undefined ? Number.NEGATIVE_INFINITY : integerOf(min, line),
      max: max === undefined ? Number.POSITIVE_INFINITY : integerOf(max, line),
      isCapped: false,
      count: countOf(count, line),
    };
    // 2^31 as a signed integer of 32 bits. This bucket holds all larger integers too.
    if (bucket.min === -(2 ** 31) && bucket.max === 0) {
      return { ...bucket, min: 2 ** 31, max: Number.POSITIVE_INFINITY, isCapped: true };
    }
    if (bucket.min > bucket.max) throw malformed(line);
    return bucket;
  });
}

// `{"min": 0, "max": 0, "count": 1}` has four elements in 32 characters.
const LEAST_ELEMENTS = 1000;
const CHARACTERS_PER_ELEMENT = 4;
const DEEPEST = 16;

function parsed(line: string): unknown {
  const elements = LEAST_ELEMENTS + Math.floor(line.length / CHARACTERS_PER_ELEMENT);
  try {
    return parseJson(
      line,
      'a line of bpftrace',
      new Budget('a line of bpftrace', { elements, depth: DEEPEST }),
    );
  } catch (cause) {
    if ((cause as HdrscopeError).code === 'ERR_TOO_LARGE') throw cause;
    const message = `bpftrace must print lines of JSON, got ${excerpt(line)}: run it with -f json`;
    throw kernelError(message, { program: 'bpftrace' }, cause);
  }
}

function asObject(value: unknown, line: string): JsonObject {
  if (!isObject(value)) throw malformed(line);
  return value;
}

/** Newer versions print large integers as text. A double holds the bounds of buckets exactly, or differs by one. */
function integerOf(value: unknown, line: string): number {
  const number = typeof value === 'string' && /^-?\d{1,30}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw malformed(line);
  return number;
}

function countOf(value: unknown, line: string): number {
  const count = integerOf(value, line);
  if (count < 0 || !Number.isSafeInteger(count)) throw malformed(line);
  return count;
}

function malformed(line: string): HdrscopeError {
  return kernelError(`bpftrace must print histograms with bounds and counts, got ${excerpt(line)}`, {
    program: 'bpftrace',
  });
}

function excerpt(line: string): string {
  return JSON.stringify(line.length > 120 ? `${line.slice(0, 120)}…` : line);
}

/** `hist(n, k)` divides each power of two into 2^k slots. Source: bpftrace, `docs/language.adoc`. */
const LARGEST_K = 5;
/** Source: bpftrace, `src/ast/passes/semantic_analyser.cpp`: `lhist() too many buckets, must be <= 1000`. */
const MOST_LINEAR_BUCKETS = 1000;

/**
 * Finds the layout of a variable from the buckets that bpftrace has printed so far. bpftrace prints their bounds, and leaves
 * out empty buckets below the first and above the last count. When several layouts fit, the result is the coarsest `hist`,
 * or the longest `lhist`.
 *
 * @throws HdrscopeError `ERR_KERNEL` when no `hist` and no `lhist` has these buckets.
 */
export function learnLayout(variable: string, seen: Iterable<PrintedBucket>): KernelLayout {
  const buckets = [...seen].sort((a, b) => a.min - b.min);
  const k = subBucketsOf(buckets);
  return k === undefined
    ? linear(variable, buckets)
    : logLinear(
        k,
        buckets.some(({ isCapped }) => isCapped),
      );
}

/** The smallest k with which `hist(n, k)` has these buckets; `undefined` when they belong to no `hist`. */
function subBucketsOf(buckets: readonly PrintedBucket[]): number | undefined {
  let least = 0;
  let exact: number | undefined;
  for (const { min, max, isCapped } of buckets) {
    if (isCapped || (min === Number.NEGATIVE_INFINITY && max === -1)) continue;
    if (!Number.isFinite(min) || !Number.isFinite(max)) return undefined;
    if (min === 0 && max === 0) continue;
    if (min < 1) return undefined;
    const octave = Math.floor(Math.log2(min));
    const width = widthOf({ min, max });
    if (width === 1) {
      // Any k from this one on fits, because slots below 2^(k+1) have the width 1.
      least = Math.max(least, octave);
      continue;
    }
    const k = octave - Math.log2(width);
    if (!Number.isInteger(k) || k < 0 || min % width !== 0 || (exact !== undefined && exact !== k))
      return undefined;
    exact = k;
  }
  const k = exact ?? least;
  return k >= least && k <= LARGEST_K ? k : undefined;
}

/** The width of a bucket. An upper bound above 2^53 was rounded to the double after it. */
function widthOf({ min, max }: { readonly min: number; readonly max: number }): number {
  return max < 2 ** 53 ? max - min + 1 : max - min;
}

function logLinear(k: number, isCapped: boolean): KernelLayout {
  const whole = bpftraceHistLayout(k);
  if (!isCapped) return whole;
  const bounds = whole.slots.bounds.filter((bound) => bound < 2 ** 31);
  return explicitKernelLayout(bounds, { name: whole.name });
}

function linear(variable: string, buckets: readonly PrintedBucket[]): KernelLayout {
  const under = buckets.find(({ min }) => min === Number.NEGATIVE_INFINITY);
  const over = buckets.find(({ max }) => max === Number.POSITIVE_INFINITY);
  const closed = buckets.filter((bucket) => bucket !== under && bucket !== over);
  const [first] = closed;
  const last = closed.at(-1);
  if (first === undefined || last === undefined) {
    const edges = [under === undefined ? undefined : under.max + 1, over?.min];
    return lhist(edges.filter((edge) => edge !== undefined));
  }
  const step = widthOf(first);
  const isGrid = closed.every((bucket) => widthOf(bucket) === step && (bucket.min - first.min) % step === 0);
  const span = Math.round((last.min - first.min) / step) + 1;
  if (!isGrid || span > MOST_LINEAR_BUCKETS) {
    throw ofSeveral(variable);
  }
  const others = MOST_LINEAR_BUCKETS - span;
  // An lhist() does not begin below 0, because bpftrace refuses that.
  const lowest = under === undefined ? Math.max(first.min % step, first.min - others * step) : under.max + 1;
  // bpftrace up to 0.17 prints the open bucket from `max` of lhist() on, although it begins after the last whole step.
  const steps =
    over === undefined ? (last.min - lowest) / step + 1 + others : Math.floor((over.min - lowest) / step);
  if (!(steps >= 0 && steps <= 2 * MOST_LINEAR_BUCKETS)) throw ofSeveral(variable);
  return lhist(Array.from({ length: steps + 1 }, (_, i) => lowest + i * step));
}

function ofSeveral(variable: string): HdrscopeError {
  return kernelError(
    `${variable} must have the buckets of one hist() or one lhist(), and has buckets of several: use a variable for each`,
    { variable },
  );
}

/** @param mins The smallest integers of all slots except the first slot, which holds all integers below them. */
function lhist(mins: readonly number[]): KernelLayout {
  return explicitKernelLayout(mins.map(integerBefore), {
    name: 'bpftrace-lhist',
    lowest: Number.NEGATIVE_INFINITY,
  });
}

/** Makes attributes of the key of a map, as bpftrace prints it. */
type KeyReader = (variable: string, key: string | undefined) => Attributes;

const MOST_VARIABLES = 1000;

/** The counts of a script: for each variable, the histograms that were printed last. */
export class BpftraceState {
  readonly #variables = new Map<string, Variable>();
  #layoutChanges = 0;

  /** How often a variable has turned out to have other slots than it seemed. Each time, all counts start again at 0. */
  get layoutChanges(): number {
    return this.#layoutChanges;
  }

  /**
   * Takes a printed variable. bpftrace prints all its keys every time.
   *
   * @throws HdrscopeError `ERR_KERNEL` when no layout has its buckets; `ERR_TOO_LARGE` for more than 1000 variables. The counts that there
   *   were before stay.
   */
  update(variable: string, printed: readonly PrintedHistogram[]): void {
    const known = this.#variables.get(variable);
    if (known === undefined && this.#variables.size >= MOST_VARIABLES) {
      throw mustBe(
        'ERR_TOO_LARGE',
        'the number of variables of a script',
        `at most ${MOST_VARIABLES}`,
        variable,
      );
    }
    const bounds = new Map(known?.bounds);
    for (const bucket of printed.flatMap(({ buckets }) => buckets)) bounds.set(bucketKey(bucket), bucket);
    if (bounds.size === 0) return;
    const layout = layoutOf(variable, bounds, known);
    this.#variables.set(variable, {
      bounds,
      layout,
      printed: new Map(printed.map(({ key, buckets }) => [key, buckets])),
      delivered: known?.delivered ?? new Map(),
      baseline: known?.baseline ?? new Map(),
    });
    if (known !== undefined && known.layout !== layout) this.#startAgain();
  }

  /** The counts since `layoutChanges` changed last. */
  histograms(readKey: KeyReader): KernelHistogram[] {
    return [...this.#variables].flatMap(([name, variable]) => {
      variable.delivered = variable.printed;
      for (const key of variable.baseline.keys()) {
        if (!variable.printed.has(key)) variable.baseline.delete(key);
      }
      return [...variable.printed].map(([key, buckets]) => {
        return {
          name,
          attributes: readKey(name, key),
          layout: variable.layout,
          counts: countsOf(variable, key, buckets),
          sums: undefined,
        };
      });
    });
  }

  #startAgain(): void {
    this.#layoutChanges++;
    for (const variable of this.#variables.values()) variable.baseline = new Map(variable.delivered);
  }
}

interface Variable {
  /** All buckets of the variable that were ever printed. */
  readonly bounds: ReadonlyMap<string, PrintedBucket>;
  readonly layout: KernelLayout;
  readonly printed: ReadonlyMap<string | undefined, readonly PrintedBucket[]>;
  /** The histograms of the last call of `histograms`, as printed. */
  delivered: ReadonlyMap<string | undefined, readonly PrintedBucket[]>;
  /** The histograms that were delivered before the layouts changed, which are subtracted from later ones. */
  baseline: Map<string | undefined, readonly PrintedBucket[]>;
}

function countsOf(
  { baseline, layout: { slots } }: Variable,
  key: string | undefined,
  buckets: readonly PrintedBucket[],
): Float64Array {
  const countIn = (printed: readonly PrintedBucket[]): Float64Array => {
    const counts = new Float64Array(slots.slotCount);
    for (const bucket of printed) counts[slotIn(slots, bucket)]! += bucket.count;
    return counts;
  };
  const counts = countIn(buckets);
  const before = countIn(baseline.get(key) ?? []);
  // The script has cleared the histogram meanwhile.
  if (before.some((count, slot) => count > counts[slot]!)) {
    baseline.delete(key);
    return counts;
  }
  return counts.map((count, slot) => count - before[slot]!);
}

/** The known layout, unless new buckets belong to another one. */
function layoutOf(
  variable: string,
  bounds: ReadonlyMap<string, PrintedBucket>,
  known: Variable | undefined,
): KernelLayout {
  if (known !== undefined && bounds.size === known.bounds.size) return known.layout;
  const learnt = learnLayout(variable, bounds.values());
  return known !== undefined && areEqual(learnt, known.layout) ? known.layout : learnt;
}

function areEqual({ slots: a }: KernelLayout, { slots: b }: KernelLayout): boolean {
  return a.slotCount === b.slotCount && a.bounds.every((bound, slot) => bound === b.bounds[slot]);
}

/** The slot of a bucket by its lower bound. Upper bounds leave a gap when the step does not divide the range of `lhist`. */
function slotIn(slots: IntegerLayout, { min, max }: PrintedBucket): number {
  if (min === Number.NEGATIVE_INFINITY) return 0;
  return max === Number.POSITIVE_INFINITY ? slots.slotCount - 1 : slots.slotOf(min);
}

function bucketKey({ min, max, isCapped }: PrintedBucket): string {
  return `${min} ${max} ${isCapped}`;
}
