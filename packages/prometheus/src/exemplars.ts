import { explicitLayout } from '@hdrscope/core';
import type { Exemplar } from '@hdrscope/registry';
import type { Labels } from './families.ts';
import { labelsOf } from './labels.ts';

// https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md#exemplars
const MOST_CHARACTERS = 128;

/**
 * The labels of an exemplar: as many as fit, trace and span first. Prometheus refuses an exemplar whose names and values
 * have more than 128 characters together.
 */
export function exemplarLabels({ attributes }: Exemplar): Labels {
  const all = labelsOf(attributes);
  const rank = (name: string): number => (name === 'trace_id' ? 0 : name === 'span_id' ? 1 : 2);
  const fitting: (readonly [string, string])[] = [];
  let characters = 0;
  for (const label of [...all].sort(([a], [b]) => rank(a) - rank(b))) {
    const length = [...label[0]].length + [...label[1]].length;
    if (characters + length > MOST_CHARACTERS) continue;
    characters += length;
    fitting.push(label);
  }
  return fitting;
}

/** The latest exemplar of each classic bucket, if there is one. */
export function exemplarsByBucket(
  boundaries: readonly number[],
  exemplars: readonly Exemplar[] | undefined,
): readonly (Exemplar | undefined)[] {
  if (exemplars === undefined || exemplars.length === 0) return [];
  const layout = explicitLayout(boundaries);
  const latest = new Array<Exemplar | undefined>(boundaries.length + 1).fill(undefined);
  for (const exemplar of exemplars) {
    if (Number.isNaN(exemplar.value)) continue;
    const bucket = layout.slotOf(exemplar.value);
    const known = latest[bucket];
    if (known === undefined || known.timeMs <= exemplar.timeMs) latest[bucket] = exemplar;
  }
  return latest;
}
