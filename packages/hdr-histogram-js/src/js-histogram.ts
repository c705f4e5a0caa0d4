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

  /** @throws HdrscopeError `ERR_INVALID_OPTION` when an argument is out of range. */
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

  get bucketCount(): number {
    return engineOf(this).layout.bucketCount;
  }

  get subBucketCount(): number {
    return engineOf(this).layout.subBucketCount;
  }

  get countsArrayLength(): number {
    return engineOf(this).layout.slotCount;
  }

  get unitMagnitude(): number {
    return engineOf(this).layout.unitMagnitude;
  }

  get recordedValuesIterator(): RecordedValuesIterator {
    this.#recordedValues ??= new RecordedValuesIterator(this);
    return this.#recordedValues;
  }

  get percentileIterator(): PercentileIterator {
    this.#percentiles ??= new PercentileIterator(this, 1);
    return this.#percentiles;
  }

  /** The number of the slot of a value. */
  countsArrayIndex(value: number): number {
    if (value < 0) throw new RangeError('Histogram recorded value cannot be negative.');
    return engineOf(this).layout.slotOf(value);
  }

  /** The lower bound of a slot. */
  valueFromIndex(index: number): number {
    return engineOf(this).layout.lower(index);
  }

  getCountAtIndex(index: number): number {
    return engineOf(this).counts.at(index);
  }

  getCountAtValue(value: number): number {
    return engineOf(this).countAt(value);
  }

  lowestEquivalentValue(value: number): number {
    return engineOf(this).lowestEquivalentValue(value);
  }

  highestEquivalentValue(value: number): number {
    return engineOf(this).highestEquivalentValue(value);
  }

  medianEquivalentValue(value: number): number {
    return engineOf(this).medianEquivalentValue(value);
  }

  nextNonEquivalentValue(value: number): number {
    return engineOf(this).nextNonEquivalentValue(value);
  }

  sizeOfEquivalentValueRange(value: number): number {
    return engineOf(this).sizeOfEquivalentValueRange(value);
  }

  getStdDeviation(): number {
    return this.stdDeviation;
  }

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
