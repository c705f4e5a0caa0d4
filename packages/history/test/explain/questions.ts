import type { ExplainedCause } from '../../src/explain/explanation.ts';
import type { SeriesChange } from '../../src/explain/series-change.ts';
import { BITS, SCALE } from './incidents.ts';

export const QUESTION = { percentile: 99.9, bits: BITS, scale: SCALE };

export const namesOf = ({ attributes }: ExplainedCause): string[] =>
  attributes.map((together) => together.map(({ key, value }) => `${key}=${value}`).join(' & '));

/** The end of an incident. */
export const back = (all: readonly SeriesChange[]): SeriesChange[] =>
  all.map((one) => ({ ...one, before: one.after, after: one.before }));
