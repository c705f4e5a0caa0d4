import { type Histogram as Engine, formatPercentiles } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { emptyLike, withAutoResize } from './engine.ts';
import { type Histogram, type HistogramSummary, NO_TAG, toSummary } from './histogram.ts';

/**
 * The member that `console.log` of Node.js calls.
 *
 * @internal
 */
export const INSPECT: symbol = Symbol.for('nodejs.util.inspect.custom');

/** An object and its fields, rather too many. */
const OBJECT_BYTES = 192;

/**
 * The engine of a histogram.
 *
 * @internal
 */
export let engineOf: (histogram: EngineHistogram) => Engine;

/**
 * Gives a histogram another engine, and returns it.
 *
 * @internal
 */
export let adopt: <H extends EngineHistogram>(histogram: H, engine: Engine) => H;

/** What all histograms of this package share: the API of hdr-histogram-js over a histogram of `@hdrscope/core`. */
export abstract class EngineHistogram implements Histogram {
  #engine: Engine;
  startTimeStampMsec: number = Number.MAX_SAFE_INTEGER;
  endTimeStampMsec = 0;
  tag: string = NO_TAG;
  // The engine knows the slots of the smallest and the largest value. Users of this API expect the values.
  maxValue = 0;
  minNonZeroValue: number = Number.MAX_SAFE_INTEGER;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  static {
    engineOf = (histogram) => histogram.#engine;
    adopt = (histogram, engine) => {
      histogram.#engine = engine;
      return histogram;
    };
    Object.defineProperty(EngineHistogram.prototype, INSPECT, {
      value(this: EngineHistogram) {
        return this.toString();
      },
    });
  }

  /**
   * The name of such histograms in errors.
   *
   * @internal
   */
  protected abstract get family(): string;

  /**
   * An empty histogram of this class.
   *
   * @internal
   */
  protected abstract empty(engine: Engine): EngineHistogram;

  get autoResize(): boolean {
    return this.#engine.autoResize;
  }

  set autoResize(autoResize: boolean) {
    this.#engine = withAutoResize(this.#engine, autoResize);
  }

  get highestTrackableValue(): number {
    return this.#engine.layout.highestTrackableValue;
  }

  get lowestDiscernibleValue(): number {
    return this.#engine.layout.lowestDiscernibleValue;
  }

  get numberOfSignificantValueDigits(): number {
    return this.#engine.layout.significantDigits;
  }

  get totalCount(): number {
    return this.#engine.totalCount;
  }

  get mean(): number {
    return this.#engine.mean;
  }

  get stdDeviation(): number {
    return this.#engine.standardDeviation;
  }

  get estimatedFootprintInBytes(): number {
    return OBJECT_BYTES + this.#engine.byteLength;
  }

  get summary(): HistogramSummary {
    return toSummary(this);
  }

  recordValue(value: number): void {
    // The engine warns of values between 0 and 1. Here everybody knows that fractions are ignored.
    this.#engine.record(value < 1 ? Math.floor(value) : value);
    if (value > this.maxValue) this.#raiseMax(value);
    if (value < this.minNonZeroValue) this.#lowerMin(value);
  }

  recordValueWithCount(value: number, count: number): void {
    this.#engine.record(value < 1 ? Math.floor(value) : value, count);
    if (count > 0) this.#widen(value, value);
  }

  recordValueWithExpectedInterval(value: number, expectedIntervalBetweenValueSamples: number): void {
    this.recordValueWithCountAndExpectedInterval(value, 1, expectedIntervalBetweenValueSamples);
  }

  recordValueWithCountAndExpectedInterval(
    value: number,
    count: number,
    expectedIntervalBetweenValueSamples: number,
  ): void {
    const interval = expectedIntervalBetweenValueSamples;
    if (!(interval > 0) || !(value >= 2 * interval)) {
      this.recordValueWithCount(value, count);
      return;
    }
    if (Number.isInteger(interval)) this.#engine.recordCorrected(value, interval, count);
    else for (let rest = value; rest >= interval; rest -= interval) this.recordValueWithCount(rest, count);
    if (count > 0) this.#widen(interval + (value % interval), value);
  }

  getValueAtPercentile(percentile: number): number {
    return this.#engine.valueAtPercentile(Math.min(percentile, 100));
  }

  outputPercentileDistribution(
    percentileTicksPerHalfDistance = 5,
    outputValueUnitScalingRatio = 1,
    useCsvFormat = false,
  ): string {
    const engine = this.#engine;
    const source = {
      layout: engine.layout,
      totalCount: engine.totalCount,
      max: this.maxValue,
      mean: engine.mean,
      standardDeviation: engine.standardDeviation,
      percentiles: (ticks: number) => engine.percentiles(ticks),
    };
    return formatPercentiles(source, {
      ticksPerHalfDistance: percentileTicksPerHalfDistance,
      valueScale: outputValueUnitScalingRatio,
      format: useCsvFormat ? 'csv' : 'text',
    });
  }

  add(otherHistogram: Histogram): void {
    const other = this.#operand('add', otherHistogram);
    this.#engine.add(engineOf(other));
    this.#widen(other.minNonZeroValue, other.maxValue);
    this.#coverTimes(other);
  }

  subtract(otherHistogram: Histogram): void {
    const other = this.#operand('subtract', otherHistogram);
    this.#engine.subtract(engineOf(other));
    if (this.#engine.countAt(this.maxValue) === 0 || this.#engine.countAt(this.minNonZeroValue) === 0) {
      this.readBounds();
    }
  }

  addWhileCorrectingForCoordinatedOmission(
    otherHistogram: Histogram,
    expectedIntervalBetweenValueSamples: number,
  ): void {
    const other = this.#operand('add', otherHistogram);
    for (const { valueIteratedTo, countAtValueIteratedTo } of engineOf(other).recordedValues()) {
      this.recordValueWithCountAndExpectedInterval(
        valueIteratedTo,
        countAtValueIteratedTo,
        expectedIntervalBetweenValueSamples,
      );
    }
  }

  copyCorrectedForCoordinatedOmission(expectedIntervalBetweenValueSamples: number): this {
    const copy = this.empty(emptyLike(this.#engine, this.autoResize));
    copy.addWhileCorrectingForCoordinatedOmission(this, expectedIntervalBetweenValueSamples);
    return copy as this;
  }

  /** The encoding of HdrHistogram (V2, compressed) in Base64. `compressionLevel` is one of zlib, from 1 to 9; 6 when left out. */
  encodeIntoCompressedBase64(compressionLevel?: number): string {
    return this.#engine.toBase64(compressionLevel ? { level: compressionLevel } : {});
  }

  reset(): void {
    this.#engine.reset();
    this.startTimeStampMsec = 0;
    this.endTimeStampMsec = 0;
    this.tag = NO_TAG;
    this.maxValue = 0;
    this.minNonZeroValue = Number.MAX_SAFE_INTEGER;
  }

  abstract destroy(): void;

  toJSON(): HistogramSummary {
    return this.summary;
  }

  inspect(): string {
    return this.toString();
  }

  /**
   * Takes the bounds of the first and the last used slot for the smallest and the largest value.
   *
   * @internal
   */
  readBounds(): void {
    const { max, minNonZero } = this.#engine;
    this.maxValue = max;
    this.minNonZeroValue = minNonZero === 0 ? Number.MAX_SAFE_INTEGER : minNonZero;
  }

  #operand(operation: string, other: Histogram): EngineHistogram {
    if (!(other instanceof EngineHistogram)) {
      throw mustBe('ERR_INCOMPATIBLE', `${operation}: the argument`, 'a histogram of this package', other);
    }
    if (other.family === this.family) return other;
    const way = operation === 'add' ? 'add' : 'subtract';
    throw new Error(`Cannot ${way} a ${other.family} histogram to a ${this.family} histogram`);
  }

  #widen(least: number, most: number): void {
    if (most > this.maxValue) this.#raiseMax(most);
    if (least < this.minNonZeroValue) this.#lowerMin(least);
  }

  // As there: the fraction of the largest value shows, and a value between 0 and 1 is one above 0.
  #raiseMax(value: number): void {
    this.maxValue = value + (unitOf(this.#engine) - 1);
  }

  #lowerMin(value: number): void {
    const unit = unitOf(this.#engine);
    if (value > unit - 1) this.minNonZeroValue = Math.floor(value / unit) * unit;
  }

  #coverTimes({ startTimeStampMsec, endTimeStampMsec }: EngineHistogram): void {
    this.startTimeStampMsec = Math.min(this.startTimeStampMsec, startTimeStampMsec);
    this.endTimeStampMsec = Math.max(this.endTimeStampMsec, endTimeStampMsec);
  }
}

/** The width of the narrowest slots. */
function unitOf({ layout }: Engine): number {
  return 2 ** layout.unitMagnitude;
}
