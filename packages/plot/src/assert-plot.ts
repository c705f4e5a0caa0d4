import { assertFollows, custom, type OptionRule } from '@hdrscope/core/internal';
import type { Plot } from './plot.ts';

// A record, so that the compiler misses a kind that is left out.
const KINDS: readonly unknown[] = Object.keys({
  percentiles: true,
  comparison: true,
  'over-time': true,
  'heat-map': true,
  bars: true,
} satisfies Record<Plot['kind'], true>);

const plotRule: OptionRule<Plot> = custom('a plot', (value) => KINDS.includes((value as Plot).kind));

/** @throws HdrscopeError `ERR_INVALID_OPTION` unless a value looks like a plot. */
export function assertPlot(value: unknown): asserts value is Plot {
  assertFollows('the plot', plotRule, value);
}
