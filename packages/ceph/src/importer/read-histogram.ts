import { HdrscopeError } from '@hdrscope/core';
import { computeStrides, mustBe } from '@hdrscope/core/internal';
import type { Budget } from '@hdrscope/kit';
import { PerfHistogram } from '../histogram/perf-histogram.ts';
import { type Integer, type SumRange, sumOfSlots } from '../histogram/sum-of-slots.ts';
import type { CounterLabels } from './fields.ts';
import { asArray, asCount, asInteger, asObject, pathOf } from './fields.ts';
import type { Json } from './json.ts';
import type { UnitOverrides, UnitSource } from './read-axis.ts';
import { readAxis } from './read-axis.ts';

/** The sum of the values of an axis, by the counters of the daemon, in the unit of the axis. Integers are exact. */
export interface SumBounds extends SumRange {
  /** The sum is at least this: that of the values which were counted before the histogram was read. */
  readonly lower: Integer;
  /** The sum is at most this. It equals `lower` when nothing was counted meanwhile: the sum is exact then. */
  readonly upper: Integer;
  /** The sum, or where it would be if the values that were counted meanwhile were equal. */
  readonly value: Integer;
}

/** A histogram of a dump. */
export interface ImportedHistogram {
  /** The daemon, when the text names it: `osd.0`. */
  readonly daemon: string | undefined;
  /** Name of the logger, such as `osd`. */
  readonly logger: string;
  /** The labels of the logger. Only the answer to `counter dump` has labels. @default no labels */
  readonly labels?: CounterLabels;
  /** Name of the counter within the logger. */
  readonly counter: string;
  /** The counts, over the axes that the dump describes. */
  readonly histogram: PerfHistogram;
  /** The source of the unit of each axis. */
  readonly unitSources: readonly UnitSource[];
  /** The sum of the values of each axis, when the dump has sums. */
  readonly sums: readonly bigint[] | undefined;
  /**
   * The sum of the values of each axis, by other counters of the daemon. Only `askHistograms` asks for them.
   * @default unknown
   */
  readonly measured?: readonly SumBounds[];
  /** Names the life of the daemon that has counted this: another life counts from 0. @default unknown */
  readonly life?: string;
  /** Irregularities of the dump, and how they were read, as sentences. The first histogram of a text has those of the text. */
  readonly notes: readonly string[];
}

/** The place of a histogram. */
export interface Place {
  readonly daemon: string | undefined;
  readonly logger: string;
  readonly labels?: CounterLabels;
  readonly counter: string;
}

/** The options for reading histograms. */
export interface ReadHistogramOptions {
  /** The units of axes, by the names of the axes. They override the dump and everything that is known. @default no units */
  readonly units?: UnitOverrides;
  /** Whether missing rows at the end count as empty rows. @default false */
  readonly lenient?: boolean;
}

/** How histograms are read. */
export interface HistogramReading extends Required<ReadHistogramOptions> {
  /** Each cell is an element of it. */
  readonly cells: Budget;
}

// The histograms of Ceph have two.
const MOST_AXES = 8;

/** @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE` */
export function readHistogram(json: Json, place: Place, options: HistogramReading): ImportedHistogram {
  const { daemon, logger, labels = {}, counter } = place;
  const path = pathOf(daemon, logger, counter);
  const fields = asObject(json, path);
  const axisList = asArray(fields.axes, `${path}.axes`);
  if (axisList.length === 0 || axisList.length > MOST_AXES) {
    throw mustBe('ERR_DECODE', `${path}.axes`, `from 1 to ${MOST_AXES} axes`, axisList);
  }
  const axes = axisList.map((axis, i) => {
    const imported = readAxis(axis, logger, options.units, `${path}.axes[${i}]`);
    // Its bounds are in memory now, even when no histogram will follow.
    options.cells.takeElements(imported.axis.buckets);
    return imported;
  });
  const histogram = emptyHistogram(
    axes.map(({ axis }) => axis),
    path,
  );
  options.cells.takeElements(axes.reduce((product, { axis }) => product * axis.buckets, 1));
  const values = new ValuesReader(histogram, options.lenient);
  values.read(fields.values, `${path}.values`);
  histogram.addCells(values.cells);
  const sums = fields.sum === undefined ? undefined : readSums(fields.sum, histogram, `${path}.sum`);
  return {
    daemon,
    logger,
    ...(Object.keys(labels).length > 0 && { labels }),
    counter,
    histogram,
    unitSources: axes.map(({ unitSource }) => unitSource),
    sums,
    notes: [
      ...axes.flatMap(({ notes }) => notes),
      ...values.notes,
      ...(sums ?? []).flatMap((sum, at) => noteSum(sum, at, histogram, `${path}.sum[${at}]`)),
    ],
  };
}

function emptyHistogram(axes: ConstructorParameters<typeof PerfHistogram>[0], path: string): PerfHistogram {
  try {
    return new PerfHistogram(axes);
  } catch (cause) {
    throw new HdrscopeError('ERR_TOO_LARGE', `${path}: ${(cause as Error).message}`, { cause });
  }
}

const SMALLEST_NEGATIVE = 2n ** 63n;
const BEYOND_64_BITS = 2n ** 64n;

/** Ceph writes sums without a sign: a negative one is 2^64 more. Only an axis that has counted negative values can have it. */
function readSums(json: Json, { axes, layouts, cells }: PerfHistogram, path: string): bigint[] {
  const sums = asArray(json, path).map((sum, i) => asInteger(sum, `${path}[${i}]`));
  if (sums.length !== axes.length)
    throw mustBe('ERR_DECODE', path, `${axes.length} sums, one for each axis`, sums);
  const strides = computeStrides(layouts.map(({ slotCount }) => slotCount));
  return sums.map((sum, at) => {
    if (sum < SMALLEST_NEGATIVE || sum >= BEYOND_64_BITS) return sum;
    const layout = layouts[at]!;
    const isNegative = (count: bigint, cell: number): boolean =>
      count > 0n && layout.lower(Math.floor(cell / strides[at]!) % layout.slotCount) < 0;
    return cells.some(isNegative) ? BigInt.asIntN(64, sum) : sum;
  });
}

/** A daemon reads the sum first, and then cell by cell while it counts. So a sum outside its slots is no error of the dump. */
function noteSum(sum: bigint, at: number, { axes, layouts, cells }: PerfHistogram, path: string): string[] {
  const stride = computeStrides(layouts.map(({ slotCount }) => slotCount))[at]!;
  const counts = Array.from({ length: layouts[at]!.slotCount }, () => 0n);
  for (const [cell, count] of cells.entries()) counts[Math.floor(cell / stride) % counts.length]! += count;
  const { lower, upper } = sumOfSlots(axes[at]!, (slot) => counts[slot]!);
  if (lower <= sum && sum <= upper) return [];
  return [
    `${path} is ${sum}, and its slots have ${lower} to ${upper}: the slots count, as the dump is not of one moment`,
  ];
}

/** Reads nested arrays into cells. Every array must have one item for each slot of its axis. */
class ValuesReader {
  readonly cells: BigUint64Array<ArrayBuffer>;
  readonly notes: string[] = [];
  readonly #slotCounts: readonly number[];
  readonly #isLenient: boolean;
  #at = 0;

  constructor({ layouts, cells }: PerfHistogram, isLenient: boolean) {
    this.cells = cells;
    this.#slotCounts = layouts.map(({ slotCount }) => slotCount);
    this.#isLenient = isLenient;
  }

  read(json: Json | undefined, path: string, axis = 0): void {
    const items = asArray(json, path);
    const slotCount = this.#slotCounts[axis]!;
    if (items.length !== slotCount) this.#wrongLength(items, path, slotCount);
    if (axis === this.#slotCounts.length - 1) {
      this.#readCounts(items, path);
      return;
    }
    for (let i = 0; i < items.length; i++) this.read(items[i], `${path}[${i}]`, axis + 1);
  }

  #readCounts(counts: readonly Json[], path: string): void {
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!;
      if (count !== 0) this.cells[this.#at] = BigInt(asCount(count, `${path}[${i}]`));
      this.#at++;
    }
  }

  #wrongLength(items: readonly Json[], path: string, slotCount: number): void {
    const isOuter = this.#at === 0 && this.#slotCounts.length > 1 && path.endsWith('.values');
    if (this.#isLenient && isOuter && items.length < slotCount) {
      this.notes.push(`${path} has ${items.length} of ${slotCount} rows: the missing rows count as empty`);
      return;
    }
    throw mustBe('ERR_DECODE', path, `${slotCount} items, one for each bucket of its axis`, items);
  }
}
