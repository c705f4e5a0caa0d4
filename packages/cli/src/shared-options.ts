import { Option } from 'commander';
import { choiceOption, parsePercentileList, wrongOption } from './arguments.ts';
import { parseDuration } from './duration.ts';
import { parseUnit, VALUE_UNITS } from './value-scale.ts';

/** The percentiles that commands for logs show by default. */
export const LOG_PERCENTILES: readonly number[] = [50, 90, 99, 99.9];

/**
 * `--percentiles`: which percentiles are shown.
 *
 * @param fallback What is shown without the option.
 * @param note Begins the help: what the option is for, when the command prints other things as well.
 */
export function percentilesOption(fallback: readonly number[] = [50, 90, 99], note = ''): Option {
  return new Option('--percentiles <list>', `${note}which percentiles`)
    .argParser((text) => parsePercentileList(text, '--percentiles'))
    .default(fallback, fallback.join());
}

/** `--unit`: how the values of a log are shown. */
export function unitOption(note = ''): Option {
  const help = `${note}what the log counts: times are shown in ms, none as it is`;
  return choiceOption('--unit <unit>', help, VALUE_UNITS, parseUnit).default(parseUnit('ns'), 'ns');
}

/** `--interval`: a duration, in seconds when it is read. */
export function intervalOption(description = 'how long an interval is'): Option {
  return new Option('--interval <duration>', description).argParser((text) =>
    parseDuration(text, '--interval'),
  );
}

/** `-n`: an integer of at least 1. */
export function intervalsOption(description = 'ends after so many (default: never)'): Option {
  return new Option('-n, --intervals <count>', description).argParser((text) => {
    if (!/^[1-9]\d*$/.test(text)) throw wrongOption('--intervals', 'an integer of at least 1', text);
    return Number(text);
  });
}

/** `--port`: where a server listens. */
export function portOption(port: number): Option {
  return new Option('--port <number>', '0 is any that is free')
    .argParser((text) => {
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (!(number <= 65_535)) throw wrongOption('--port', 'an integer from 0 to 65535', text);
      return number;
    })
    .default(port);
}
