import { mustBe } from '@hdrscope/core';

/** What is made of a log, as Java's `HistogramLogProcessor` takes it from its arguments. */
export interface ProcessorOptions {
  /** The path of the log. @default standard input */
  readonly inputPath?: string;
  /**
   * Where the interval log goes; the percentile distribution goes to a file of this name with `.hgrm`, and the moving
   * window, if there is one, to one with `.mwp`. @default the distribution alone, to standard output
   */
  readonly outputPath?: string;
  /** Only intervals with this tag. @default those without a tag */
  readonly tag?: string;
  /** Print which tags there are, and nothing else. @default false */
  readonly listTags?: boolean;
  /** Only intervals that start at least so many seconds after the start of the log. @default 0 */
  readonly startSec?: number;
  /**
   * Reading ends before the first interval, of whatever tag, that starts more seconds after the start of the log.
   * @default the largest number
   */
  readonly endSec?: number;
  /** Separate columns by commas. @default false */
  readonly csv?: boolean;
  /** What values are divided by: finite, above 0. @default 1e6 */
  readonly valueScale?: number;
  /** Rows of the distribution before the distance to 100 % is halved: an integer of at least 1. @default 5 */
  readonly ticksPerHalfDistance?: number;
  /** What `MovingWindow` says. @default none */
  readonly movingWindow?: MovingWindow;
  /**
   * Correct coordinated omission of load that was to come every so many units, in the raw unit of the log's values and
   * not in that of the output. Without a fraction where the values are integers. @default 0, none
   */
  readonly expectedInterval?: number;
  /** Say everything of an error. @default false */
  readonly verbose?: boolean;
}

/** One percentile of the last so many milliseconds, after each interval. */
export interface MovingWindow {
  /** @default 99 */
  readonly percentile?: number;
  /** An interval leaves the window when it has ended so long before the end of the latest. @default 60 000 */
  readonly lengthMs?: number;
}

/** Options with their defaults. */
export interface ProcessorSettings extends Omit<ProcessorOptions, 'movingWindow'> {
  readonly listTags: boolean;
  readonly startSec: number;
  readonly endSec: number;
  readonly csv: boolean;
  readonly valueScale: number;
  readonly ticksPerHalfDistance: number;
  readonly movingWindow: Required<MovingWindow> | undefined;
  readonly expectedInterval: number;
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function settle(options: ProcessorOptions): ProcessorSettings {
  const { movingWindow, valueScale = 1e6, ticksPerHalfDistance = 5 } = options;
  assertScale(valueScale, 'valueScale');
  assertTicks(ticksPerHalfDistance, 'ticksPerHalfDistance');
  return {
    ...options,
    listTags: options.listTags ?? false,
    startSec: options.startSec ?? 0,
    endSec: options.endSec ?? Number.MAX_VALUE,
    csv: options.csv ?? false,
    valueScale,
    ticksPerHalfDistance,
    movingWindow: movingWindow && {
      percentile: movingWindow.percentile ?? 99,
      lengthMs: movingWindow.lengthMs ?? 60_000,
    },
    expectedInterval: options.expectedInterval ?? 0,
  };
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertTicks(ticks: number, name: string): void {
  if (Number.isSafeInteger(ticks) && ticks >= 1) return;
  throw mustBe('ERR_INVALID_OPTION', name, 'an integer of at least 1', ticks);
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertScale(valueScale: number, name: string): void {
  if (valueScale > 0 && Number.isFinite(valueScale)) return;
  throw mustBe('ERR_INVALID_OPTION', name, 'a finite number above 0', valueScale);
}
