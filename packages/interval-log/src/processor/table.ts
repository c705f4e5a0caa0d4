import type { DoubleHistogram, Histogram } from '@hdrscope/core';
import type { BufferedOutput } from './buffered.ts';
import type { Correction } from './correction.ts';
import { intervalFigures, javaMax, totalFigures } from './figures.ts';
import type { PlacedInterval } from './intervals.ts';
import type { ProcessorSettings } from './options.ts';
import { formatIntervalRow, formatWindowRow, intervalLegend, windowLegend } from './rows.ts';
import { WindowSum } from './window.ts';

type AnyHistogram = Histogram | DoubleHistogram;

/** The row of each interval, and of the moving window at its end. */
export class Table {
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
   * @param histogram What was counted of the interval.
   * @param total Everything up to there.
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
    // A corrected histogram has not been decoded, so Java knows of nothing in it.
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

/** In seconds since the start of the log, by way of whole milliseconds. */
function endOf({ interval, logStartSec }: PlacedInterval): number {
  return interval.endTimeMs / 1000 - logStartSec;
}
