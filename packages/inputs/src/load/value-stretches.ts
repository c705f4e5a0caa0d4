import { Histogram } from '@hdrscope/core';
import { Stretches } from '@hdrscope/core/internal';

/** Short beside a load test, and long beside its requests. Stretches become longer in long tests. */
export const STRETCH_SEC = 0.25;

/** Values in ticks by stretches of time. */
export function valueStretches(): Stretches<Histogram> {
  return new Stretches<Histogram>(STRETCH_SEC, {
    create: () => new Histogram({ storage: 'sparse' }),
    merge: (into, from) => into.add(from),
  });
}
