import { BITS, SCALE } from '@hdrscope/testing/incidents';
import type { ExplainedCause } from '../../src/explain/explanation.ts';

export const QUESTION = { percentile: 99.9, bits: BITS, scale: SCALE };

export const namesOf = ({ attributes }: ExplainedCause): string[] =>
  attributes.map((together) => together.map(({ key, value }) => `${key}=${value}`).join(' & '));
