import { assertOptions, flag, mustBe, number, type OptionsOwner, text } from '@hdrscope/core/internal';
import { scale } from '../writer/format.ts';

/** Options of `processLog`: the arguments of Java's `HistogramLogProcessor`. */
export interface ProcessorOptions {
  /** Path of the log. @default standard input */
  readonly inputPath?: string;
  /**
   * Path of the table of intervals. The percentile distribution goes to this path with `.hgrm` appended, and a moving
   * window to this path with `.mwp` appended.
   *
   * @default only the distribution is printed, to standard output
   */
  readonly outputPath?: string;
  /** Only intervals with this tag. @default intervals without a tag */
  readonly tag?: string;
  /** Whether to print only a list of the tags. @default false */
  readonly listTags?: boolean;
  /** Only intervals that start at least this many seconds after the start of the log. @default 0 */
  readonly startSec?: number;
  /**
   * Reading ends at the first interval of any tag that starts more than this many seconds after the start of the log.
   *
   * @default Number.MAX_VALUE
   */
  readonly endSec?: number;
  /** Whether columns are separated by commas. @default false */
  readonly csv?: boolean;
  /** Divisor of printed values: finite and above 0. @default 1e6, which prints nanoseconds as milliseconds */
  readonly valueScale?: number;
  /** Rows of the distribution before the distance to 100 % is halved: an integer of at least 1. @default 5 */
  readonly ticksPerHalfDistance?: number;
  /** Prints a percentile of a moving window after each interval. @default no moving window */
  readonly movingWindow?: MovingWindow;
  /**
   * Expected interval between two values, for the correction of coordinated omission. It is in the raw unit of the log's
   * values, not in that of the output. Integers are corrected by its whole part.
   *
   * @default 0, which corrects no values
   */
  readonly expectedInterval?: number;
  /** Whether `runProcessor` prints the stack and the causes of an error. @default false */
  readonly verbose?: boolean;
}

/** A percentile of the intervals that ended within the last milliseconds. */
export interface MovingWindow {
  /** From 0 to 100. @default 99 */
  readonly percentile?: number;
  /** Length of the window: an interval leaves it when it ended this long before the end of the latest. @default 60_000 */
  readonly lengthMs?: number;
}

/** Checked options, with their defaults. */
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
export function settingsOf(options: ProcessorOptions): ProcessorSettings {
  assertOptions(options, PROCESS_LOG);
  const { movingWindow, valueScale = 1e6, ticksPerHalfDistance = 5 } = options;
  assertTicks(ticksPerHalfDistance, 'ticksPerHalfDistance');
  if (movingWindow !== undefined) assertOptions(movingWindow, MOVING_WINDOW);
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

const PROCESS_LOG: OptionsOwner<ProcessorOptions> = {
  name: 'processLog',
  names: {
    inputPath: text,
    outputPath: text,
    tag: text,
    listTags: flag,
    startSec: number(),
    endSec: number({ to: Number.POSITIVE_INFINITY }),
    csv: flag,
    valueScale: scale,
    ticksPerHalfDistance: true,
    movingWindow: true,
    expectedInterval: number({ from: 0 }),
    verbose: flag,
  },
  call: "processLog({ inputPath: 'service.hlog' }, io)",
};

const MOVING_WINDOW: OptionsOwner<MovingWindow> = {
  name: 'movingWindow',
  names: { percentile: number(), lengthMs: number() },
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertTicks(ticks: number, name: string): void {
  if (Number.isSafeInteger(ticks) && ticks >= 1) return;
  throw mustBe('ERR_INVALID_OPTION', name, 'an integer of at least 1', ticks);
}
