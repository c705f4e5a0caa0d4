import {
  custom,
  listOf,
  number,
  type OptionNames,
  type OptionRule,
  oneOf,
  optionsIn,
  text,
} from '@hdrscope/core/internal';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import type { ObjectiveLine, Period, PlotTitles } from '../plot.ts';

/** Rules of the titles of any plot. */
export const TITLES: OptionNames<PlotTitles> = { title: text, subtitle: text };

/** The unit of the values of a plot. */
export const UNIT: OptionRule<CountedUnit> = oneOf(Object.keys(SHOWN_UNITS) as CountedUnit[]);

/** The axis of the values. */
export const VALUE_AXIS: OptionRule<'linear' | 'log'> = oneOf(['linear', 'log']);

/** What values are divided by. */
export const VALUE_SCALE: OptionRule<number> = number({ above: 0 });

const PERCENTILE = number({ from: 0, to: 100 });

/** Percentiles that are shown. */
export const PERCENTILES: OptionRule<readonly number[]> = listOf(PERCENTILE, 'numbers from 0 to 100');

/** Lines of objectives. */
export const OBJECTIVES: OptionRule<readonly ObjectiveLine[]> = listOf<ObjectiveLine>(
  custom('an objective', (line) => {
    const { name, value, percentile } = line as ObjectiveLine;
    return (
      number().accepts(value) &&
      (name === undefined || text.accepts(name)) &&
      (percentile === undefined || PERCENTILE.accepts(percentile))
    );
  }),
  'objectives { value, percentile, name }',
);

/** When the values of a curve were counted. */
export const PERIOD: OptionRule<Period> = {
  ...optionsIn<Period>({ name: 'period', rules: { startMs: number(), endMs: number() } }),
  ...custom('{ startMs, endMs } with the later time last', (period) => {
    const { startMs, endMs } = period as Period;
    return number().accepts(startMs) && number({ from: startMs }).accepts(endMs);
  }),
};
