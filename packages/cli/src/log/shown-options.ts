import { Option } from 'commander';
import { parsePercentileList } from '../arguments.ts';
import { parseUnit } from './values.ts';

/** `--unit`: how raw values are shown. */
export function unitOption(note = ''): Option {
  const help = `${note}what the log counts: ns, us, ms or s, which are shown in ms; none: shown as they are`;
  return new Option('--unit <unit>', help).argParser(parseUnit).default(parseUnit('ns'), 'ns');
}

/** `--percentiles`: which of them are shown. */
export function percentilesOption(note = ''): Option {
  return new Option('--percentiles <list>', `${note}which percentiles`)
    .argParser((text) => parsePercentileList(text, '--percentiles'))
    .default([50, 90, 99, 99.9], '50,90,99,99.9');
}
