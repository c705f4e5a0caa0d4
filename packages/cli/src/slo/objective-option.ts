import { Option } from 'commander';
import { isDecimal, wrongOption } from '../arguments.ts';

/** `--objective`: the percentage of values that must be good, as a number above 0 and below 100. */
export function objectiveOption(): Option {
  return new Option(
    '--objective <percent>',
    'the share of values that must be good, as in 99.9%; required',
  ).argParser(parsePercent);
}

/** @throws UsageError */
function parsePercent(text: string): number {
  const [, digits = ''] = /^(.+?) ?%$/.exec(text) ?? [];
  const percent = isDecimal(digits) ? Number(digits) : Number.NaN;
  if (percent > 0 && percent < 100) return percent;
  throw wrongOption('--objective', 'a percentage above 0 and below 100, as in 99.9%', text);
}
