import { readFileSync } from 'node:fs';
import type { Counted } from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import { findNominalBounds } from '../../../src/sketches/sketch.ts';

/** A sketch that its own library has made, and what the library reads from it. */
export interface Vector {
  readonly form: string;
  readonly writer?: string;
  readonly madeBy: string;
  readonly name: string;
  /** Base64, or a text. */
  readonly input: string;
  readonly values: readonly (readonly [value: number, count: number])[];
  readonly slots: readonly (readonly [lower: number, upper: number, count: number])[];
  readonly quantiles?: readonly (readonly [quantile: number, value: number])[];
}

/** The vectors of a file in `docs/formats/vectors`, which `tools/goldens/sketches` makes. */
export function readVectors(file: string): readonly Vector[] {
  const path = new URL(`../../../../../docs/formats/vectors/${file}`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')).vectors;
}

/** The slots with values as vectors have them: the lower bound, the upper bound and the count of each. */
export function listSlots({ layout, counts }: Counted): number[][] {
  return Array.from(usedSlots(counts), ([slot, count]) => [layout.lower(slot), layout.upper(slot), count]);
}

/** The slots as vectors have them, whose library does not say that a bin may have taken values from beside it. */
export function listNominalSlots({ layout, counts }: Counted): number[][] {
  return Array.from(usedSlots(counts), ([slot, count]) => {
    const { lower, upper } = findNominalBounds(layout, slot);
    return [lower, upper, count];
  });
}
