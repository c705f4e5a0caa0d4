import { Option } from 'commander';
import { choiceOption, parsePercentileList } from '../arguments.ts';
import { parseUnit, VALUE_UNITS } from './values.ts';

/** `--unit`: how raw values are shown. */
export function unitOption(note = ''): Option {
  const help = `${note}what the log counts: times are shown in ms, none as it is`;
  return choiceOption('--unit <unit>', help, VALUE_UNITS, parseUnit).default(parseUnit('ns'), 'ns');
}

/** `--percentiles`: which of them are shown. */
export function percentilesOption(note = ''): Option {
  return new Option('--percentiles <list>', `${note}which percentiles`)
    .argParser((text) => parsePercentileList(text, '--percentiles'))
    .default([50, 90, 99, 99.9], '50,90,99,99.9');
}
