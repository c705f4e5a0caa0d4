import type { ExplainedCause } from '@hdrscope/explain';
import { BITS, SCALE } from '@hdrscope/testing/incidents';

export const QUESTION = { percentile: 99.9, bits: BITS, scale: SCALE };

export const namesOf = ({ attributes }: ExplainedCause): string[] =>
  attributes.map((together) => together.map(({ key, value }) => `${key}=${value}`).join(' & '));
