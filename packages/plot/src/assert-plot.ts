import { assertFollows, custom, type OptionRule } from '@hdrscope/core/internal';
import type { Plot } from './plot.ts';

const KINDS: readonly unknown[] = [
  'percentiles',
  'comparison',
  'over-time',
  'heat-map',
  'bars',
] satisfies Plot['kind'][];

const plotRule: OptionRule<Plot> = custom('a plot', (value) => KINDS.includes((value as Plot).kind));

/** @throws HdrscopeError `ERR_INVALID_OPTION` unless a value looks like a plot. */
export function assertPlot(value: unknown): asserts value is Plot {
  assertFollows('the plot', plotRule, value);
}
