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

/** The largest integer that V8 keeps in 32 bits. */
const SMALL = 2 ** 31 - 1;

/** An object and its fields, rather too many. */
const OBJECT_BYTES = 192;

/**
 * The engine of a histogram.
 *
 * @internal
 */
export let engineOf: (histogram: EngineHistogram) => Engine;

/** What all histograms of this package share: the API of hdr-histogram-js over a histogram of `@hdrscope/core`. */
export abstract class EngineHistogram implements Histogram {
  #engine: Engine;
  startTimeStampMsec: number = Number.MAX_SAFE_INTEGER;
  endTimeStampMsec = 0;
  tag: string = NO_TAG;
  // The engine knows the slots of the largest and the smallest value. Users of this API expect the values.
  #max = 0;
  #min: number = Number.MAX_SAFE_INTEGER;
  // A value from `#low`, at least 1, to `#high` changes neither. `#low` is at most 2^31 - 1: V8 compares small integers in half of the time.
  #low = SMALL;
  #high = -1;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  static {
    engineOf = (histogram) => histogram.#engine;
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

  get maxValue(): number {
    return this.#max;
  }

  get minNonZeroValue(): number {
    return this.#min;
  }

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
    if (value < this.#low || value > this.#high) this.recordValueWithCount(value, 1);
    else this.#engine.record(value);
  }

  recordValueWithCount(value: number, count: number): void {
    // The engine warns of values between 0 and 1. Programs that cannot be changed must not print more than before.
    const isNumber = typeof value === 'number';
    this.#engine.record(isNumber && value < 1 ? Math.floor(value) : value, count);
    // The engine has refused or discarded whatever is neither a number nor a bigint.
    if (count > 0 && (isNumber || typeof value === 'bigint')) this.#widen(Number(value), Number(value));
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
    if (typeof value !== 'number' || !(interval > 0) || !(value >= 2 * interval)) {
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
    this.#setBounds(Math.min(this.#min, other.minNonZeroValue), Math.max(this.#max, other.maxValue));
    this.#coverTimes(other);
  }

  subtract(otherHistogram: Histogram): void {
    const other = this.#operand('subtract', otherHistogram);
    this.#engine.subtract(engineOf(other));
    if (this.#engine.countAt(this.#max) === 0 || this.#engine.countAt(this.#min) === 0) {
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
    this.#setBounds(Number.MAX_SAFE_INTEGER, 0);
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
    this.#setBounds(minNonZero === 0 ? Number.MAX_SAFE_INTEGER : minNonZero, max);
  }

  #operand(operation: 'add' | 'subtract', other: Histogram): EngineHistogram {
    if (!(other instanceof EngineHistogram)) {
      throw mustBe('ERR_INCOMPATIBLE', `${operation}: the argument`, 'a histogram of this package', other);
    }
    if (other.family === this.family) return other;
    throw new Error(`Cannot ${operation} a ${other.family} histogram to a ${this.family} histogram`);
  }

  // As there: the fraction of the largest value shows, and a value between 0 and 1 is one above 0.
  #widen(least: number, most: number): void {
    const { unitMagnitude, largestValue } = this.#engine.layout;
    // The engine has discarded it.
    if (most > largestValue) return;
    const unit = 2 ** unitMagnitude;
    const isLess = least < this.#min && least > unit - 1;
    this.#setBounds(
      isLess ? Math.floor(least / unit) * unit : this.#min,
      most > this.#max ? most + (unit - 1) : this.#max,
    );
  }

  #setBounds(min: number, max: number): void {
    this.#min = min;
    this.#max = max;
    this.#low = Math.max(1, Math.min(min, SMALL));
    // While the smallest value is large, each value is looked at.
    this.#high = min < SMALL ? max : -1;
  }

  #coverTimes({ startTimeStampMsec, endTimeStampMsec }: EngineHistogram): void {
    this.startTimeStampMsec = Math.min(this.startTimeStampMsec, startTimeStampMsec);
    this.endTimeStampMsec = Math.max(this.endTimeStampMsec, endTimeStampMsec);
  }
}
