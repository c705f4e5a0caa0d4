import { NUMBER_UNITS } from '@hdrscope/inputs/internal';
import { type Command, Option } from 'commander';
import { choiceOption, integerParser, parsePercentileList } from './arguments.ts';
import { parseDuration } from './duration.ts';
import { DEFAULT_PERCENTILES } from './options.ts';
import { valueScaleOf } from './value-scale.ts';

/**
 * `--percentiles`: which percentiles are shown.
 *
 * @param note Begins the help: what the option is for, when the command prints other things as well.
 */
export function percentilesOption(note = ''): Option {
  return new Option(
    '--percentiles <list>',
    `${note}the percentiles to show, as in 50,99.9; 100 is the maximum`,
  )
    .argParser((text) => parsePercentileList(text, '--percentiles'))
    .default(DEFAULT_PERCENTILES, DEFAULT_PERCENTILES.join());
}

/** `--unit`: the unit of the values of a log, which decides how they are shown. */
export function unitOption(note = ''): Option {
  const help = `${note}the unit of the values: times are shown in ms, other values as they are`;
  return choiceOption('--unit <unit>', help, NUMBER_UNITS, valueScaleOf).default(valueScaleOf('ns'), 'ns');
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

/** `--host`: the address of a server. */
export function hostOption(): Option {
  return new Option('--host <name>', 'the address to listen on').default('localhost');
}

/** Adds `--ascii` to a command. */
export function addAscii(parser: Command): Command {
  const option = new Option('--ascii', 'draws text in ASCII only');
  return parser.addOption(option.default(undefined, 'on where the locale is not UTF-8'));
}
