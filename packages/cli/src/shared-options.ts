import { Option } from 'commander';
import { choiceOption, integerParser, parsePercentileList } from './arguments.ts';
import { parseDuration } from './duration.ts';
import { VALUE_UNITS, valueScaleOf } from './value-scale.ts';

/** The percentiles that commands for logs show by default. */
export const LOG_PERCENTILES: readonly number[] = [50, 90, 99, 99.9];

/**
 * `--percentiles`: which percentiles are shown.
 *
 * @param fallback What is shown without the option.
 * @param note Begins the help: what the option is for, when the command prints other things as well.
 */
export function percentilesOption(fallback: readonly number[] = [50, 90, 99], note = ''): Option {
  return new Option('--percentiles <list>', `${note}the percentiles to show`)
    .argParser((text) => parsePercentileList(text, '--percentiles'))
    .default(fallback, fallback.join());
}

/** `--unit`: how the values of a log are shown. */
export function unitOption(note = ''): Option {
  const help = `${note}the unit of the values: times are shown in ms, other values as they are`;
  return choiceOption('--unit <unit>', help, VALUE_UNITS, valueScaleOf).default(valueScaleOf('ns'), 'ns');
}

/** `--interval`: a duration, in seconds when it is read. */
export function intervalOption(description = 'how long an interval is'): Option {
  return new Option('--interval <duration>', description).argParser((text) =>
    parseDuration(text, '--interval'),
  );
}

/** `-n`: an integer of at least 1. */
export function intervalsOption(description = 'ends after so many intervals (default: never)'): Option {
  return new Option('-n, --intervals <count>', description).argParser(integerParser('--intervals', 1));
}

/** `--port`: where a server listens. */
export function portOption(port: number): Option {
  return new Option('--port <number>', 'the port; 0 takes a free one')
    .argParser(integerParser('--port', 0, 65_535))
    .default(port);
}
