import { Histogram as Engine } from '@hdrscope/core';
import { usualPolicy } from './build-request.ts';
import { decodedEngine, engineFor } from './engine.ts';
import { EngineHistogram, engineOf } from './engine-histogram.ts';
import type { BitBucketSize } from './histogram.ts';
import { PercentileIterator, RecordedValuesIterator } from './iterators.ts';

/**
 * A histogram without WebAssembly. The numbers of buckets and slots are those of HdrHistogram.
 *
 * @example
 * ```ts
 * import { Int32Histogram } from '@hdrscope/hdr-histogram-js';
 *
 * const histogram = new Int32Histogram(1, 1000, 3);
 * histogram.recordValue(42);
 * histogram.getValueAtPercentile(99); //=> 42
 * ```
 */
export abstract class JsHistogram extends EngineHistogram {
  readonly #size: BitBucketSize;
  #recordedValues: RecordedValuesIterator | undefined;
  #percentiles: PercentileIterator | undefined;

  /**
   * @param lowestDiscernibleValue The smallest difference between values that must stay visible: an integer of at least 1.
   * @param highestTrackableValue The largest value that must fit: at least twice the first.
   * @param numberOfSignificantValueDigits Decimal digits to which a value keeps its precision, from 0 to 5.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an argument is out of range.
   */
  constructor(
    lowestDiscernibleValue: number,
    highestTrackableValue: number,
    numberOfSignificantValueDigits: number,
    bitBucketSize: BitBucketSize = 32,
  ) {
    super(
      isEngine(lowestDiscernibleValue)
        ? lowestDiscernibleValue
        : engineFor({
            lowestDiscernibleValue,
            highestTrackableValue,
            numberOfSignificantValueDigits,
            bitBucketSize,
            autoResize: false,
            outOfRange: usualPolicy(),
          }),
    );
    this.#size = bitBucketSize;
  }

  /**
   * Decodes any encoding of HdrHistogram: bytes or Base64, compressed or not.
   *
   * @throws HdrscopeError `ERR_DECODE` when the bytes are no encoding.
   */
  static decode(
    data: Uint8Array | string,
    bitBucketSize: BitBucketSize = 32,
    minBarForHighestTrackableValue = 0,
  ): JsHistogram {
    const engine = decodedEngine(data, bitBucketSize, minBarForHighestTrackableValue);
    const histogram = jsHistogram(engine, bitBucketSize);
    histogram.readBounds();
    return histogram;
  }

  /** @internal */
  protected get family(): string {
    return 'regular JS';
  }

  /** @internal */
  protected empty(engine: Engine): JsHistogram {
    return overEngine(this.constructor as JsConstructor, engine);
  }

  /** How many times the width of slots doubles, plus one. */
  get bucketCount(): number {
    return engineOf(this).layout.bucketCount;
  }

  /** Sub-buckets per bucket: a power of two from 2 to 2^18. */
  get subBucketCount(): number {
    return engineOf(this).layout.subBucketCount;
  }

  /** How many slots the range has. */
  get countsArrayLength(): number {
    return engineOf(this).layout.slotCount;
  }

  /** `floor(log2(lowestDiscernibleValue))`: the narrowest slots are `2 ** unitMagnitude` wide. */
  get unitMagnitude(): number {
    return engineOf(this).layout.unitMagnitude;
  }

  /** Steps through every used slot. One object for the life of the histogram: call its `reset` first. */
  get recordedValuesIterator(): RecordedValuesIterator {
    this.#recordedValues ??= new RecordedValuesIterator(this);
    return this.#recordedValues;
  }

  /** Steps through percentiles. One object for the life of the histogram: call its `reset` first. */
  get percentileIterator(): PercentileIterator {
    this.#percentiles ??= new PercentileIterator(this, 1);
    return this.#percentiles;
  }

  /**
   * The number of the slot of a value.
   *
   * @throws RangeError when the value is negative.
   */
  countsArrayIndex(value: number): number {
    if (value < 0) throw new RangeError('Histogram recorded value cannot be negative.');
    return engineOf(this).layout.slotOf(value);
  }

  /** The lower bound of a slot. */
  valueFromIndex(index: number): number {
    return engineOf(this).layout.lower(index);
  }

  /** How many values the slot with this number has, from 0 to `countsArrayLength - 1`. */
  getCountAtIndex(index: number): number {
    return engineOf(this).counts.at(index);
  }

  /**
   * How many values share the slot of a value.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number.
   */
  getCountAtValue(value: number): number {
    return engineOf(this).countAt(value);
  }

  /**
   * The lower bound of the slot of a value.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above
   *   2^63 − 1.
   */
  lowestEquivalentValue(value: number): number {
    return engineOf(this).lowestEquivalentValue(value);
  }

  /**
   * The upper bound of the slot of a value, which belongs to it.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above
   *   2^63 − 1.
   */
  highestEquivalentValue(value: number): number {
    return engineOf(this).highestEquivalentValue(value);
  }

  /**
   * The middle of the slot of a value.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above
   *   2^63 − 1.
   */
  medianEquivalentValue(value: number): number {
    return engineOf(this).medianEquivalentValue(value);
  }

  /**
   * The lower bound of the slot after that of a value.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above
   *   2^63 − 1.
   */
  nextNonEquivalentValue(value: number): number {
    return engineOf(this).nextNonEquivalentValue(value);
  }

  /**
   * The width of the slot of a value.
   *
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is negative or not a number, `ERR_VALUE_OUT_OF_RANGE` when it is above
   *   2^63 − 1.
   */
  sizeOfEquivalentValueRange(value: number): number {
    return engineOf(this).sizeOfEquivalentValueRange(value);
  }

  /** The standard deviation (of a population) of the slots' middles; 0 when empty. */
  getStdDeviation(): number {
    return this.stdDeviation;
  }

  /** The name of the class and the `summary` as JSON. */
  override toString(): string {
    const name = this.#size === 'packed' ? 'PackedHistogram' : `Histogram ${this.#size}b`;
    return `${name} ${JSON.stringify(this, null, 2)}`;
  }

  /** Does nothing: the memory is freed with the object. */
  destroy(): void {}
}

/** The arguments of the classes below: the smallest visible difference, the largest value, and the digits, from 0 to 5. */
export type HistogramShape = [
  lowestDiscernibleValue: number,
  highestTrackableValue: number,
  numberOfSignificantValueDigits: number,
];

type JsConstructor = new (...shape: HistogramShape) => JsHistogram;

// V8 compiles a field that is assigned once into the record path. So an engine comes through the constructor, in place of its first
// argument, which users know as a number.
function overEngine(Constructor: JsConstructor, engine: Engine): JsHistogram {
  return new Constructor(engine as unknown as number, 0, 0);
}

function isEngine(argument: unknown): argument is Engine {
  return argument instanceof Engine;
}

/**
 * A histogram over an engine of a size that has been checked.
 *
 * @internal
 */
export function jsHistogram(engine: Engine, size: BitBucketSize): JsHistogram {
  return overEngine(CLASSES[size], engine);
}

/** Counts in small cells. See `BitBucketSize`. */
export class Int8Histogram extends JsHistogram {
  constructor(...shape: HistogramShape) {
    super(...shape, 8);
  }
}

/** Counts in small cells. See `BitBucketSize`. */
export class Int16Histogram extends JsHistogram {
  constructor(...shape: HistogramShape) {
    super(...shape, 16);
  }
}

/** Counts in an array of words. See `BitBucketSize`. */
export class Int32Histogram extends JsHistogram {
  constructor(...shape: HistogramShape) {
    super(...shape, 32);
  }
}

/** Counts in an array of words. See `BitBucketSize`. */
export class Float64Histogram extends JsHistogram {
  constructor(...shape: HistogramShape) {
    super(...shape, 64);
  }
}

/** Counts in small cells, for those slots that are used. See `BitBucketSize`. */
export class PackedHistogram extends JsHistogram {
  constructor(...shape: HistogramShape) {
    super(...shape, 'packed');
  }
}

const CLASSES: { readonly [size in BitBucketSize]: JsConstructor } = {
  8: Int8Histogram,
  16: Int16Histogram,
  32: Int32Histogram,
  64: Float64Histogram,
  packed: PackedHistogram,
};
