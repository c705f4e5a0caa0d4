import type { DoubleHistogram, Histogram } from '@hdrscope/core';
import type { BufferedOutput } from './buffered.ts';
import type { Correction } from './correction.ts';
import { intervalFigures, javaMax, totalFigures } from './figures.ts';
import type { PlacedInterval } from './intervals.ts';
import type { ProcessorSettings } from './options.ts';
import { formatIntervalRow, formatWindowRow, intervalLegend, windowLegend } from './rows.ts';
import { WindowSum } from './window.ts';

type AnyHistogram = Histogram | DoubleHistogram;

/** Writes a row for each interval, and a row for the moving window at its end. */
export class IntervalTable {
  readonly #settings: ProcessorSettings;
  readonly #correction: Correction;
  readonly #intervals: BufferedOutput;
  readonly #windows: BufferedOutput | undefined;
  #window: WindowSum | undefined;
  #isBegun = false;

  constructor(
    settings: ProcessorSettings,
    correction: Correction,
    intervals: BufferedOutput,
    windows: BufferedOutput | undefined,
  ) {
    this.#settings = settings;
    this.#correction = correction;
    this.#intervals = intervals;
    this.#windows = windows;
  }

  /**
   * Writes the rows of an interval.
   *
   * @param histogram The interval's counts, corrected if the correction applies.
   * @param total The sum of all intervals so far.
   */
  async add(placed: PlacedInterval, histogram: AnyHistogram, total: AnyHistogram): Promise<void> {
    if (!this.#isBegun) await this.#begin(placed);
    await this.#intervals.add(this.#intervalRow(placed, histogram, total));
    if (this.#window === undefined) return;
    this.#window.add(placed.interval);
    await this.#windows?.add(this.#windowRow(placed, this.#window));
  }

  async #begin({ interval }: PlacedInterval): Promise<void> {
    this.#isBegun = true;
    const { csv, movingWindow } = this.#settings;
    await this.#intervals.add(intervalLegend(csv));
    if (movingWindow === undefined) return;
    const { percentile, lengthMs } = movingWindow;
    this.#window = new WindowSum(lengthMs, interval.isDouble, this.#correction);
    await this.#windows?.add(windowLegend(percentile, csv));
  }

  #intervalRow(placed: PlacedInterval, histogram: AnyHistogram, total: AnyHistogram): string {
    const { csv, valueScale } = this.#settings;
    // Java's odd maximum comes from decoding an empty histogram. A corrected one is a copy, whose maximum is 0.
    const isCorrected = this.#correction.appliesTo(placed.interval);
    const max = isCorrected && histogram.totalCount === 0 ? histogram.max : javaMax(histogram);
    const scaled = (value: number): number => value / valueScale;
    return formatIntervalRow(
      {
        endSec: endOf(placed),
        count: histogram.totalCount,
        values: intervalFigures(histogram, max).map(scaled),
        totalCount: total.totalCount,
        totalValues: totalFigures(total).map(scaled),
      },
      csv,
    );
  }

  #windowRow(placed: PlacedInterval, window: WindowSum): string {
    const { csv, valueScale, movingWindow } = this.#settings;
    return formatWindowRow(
      {
        endSec: endOf(placed),
        count: window.count,
        value: window.valueAtPercentile(movingWindow!.percentile) / valueScale,
        max: window.max / valueScale,
      },
      csv,
    );
  }
}

/** Returns the end in seconds since the start of the log. Java computes it from whole milliseconds. */
function endOf({ interval, logStartSec }: PlacedInterval): number {
  return interval.endTimeMs / 1000 - logStartSec;
}
