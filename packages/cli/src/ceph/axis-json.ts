import { type AxisFacts, toJsonText } from '@hdrscope/ceph/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { boundsJson, type DistributionJson } from '../figures.ts';

/** The facts of an axis. */
interface ShownFacts {
  readonly name: string;
  readonly unit: CountedUnit;
  /** `undefined` when it is not exact. */
  readonly count: number | bigint | undefined;
  /** `undefined` when nothing was counted. */
  readonly facts: AxisFacts | undefined;
}

/** The figures of an axis, each as the bounds of its slot. */
export function axisJson(
  { name, unit, count, facts }: ShownFacts,
  percentiles: readonly number[],
): DistributionJson {
  const bounds = (of: 'min' | 'mean' | 'max') => facts && boundsJson(facts[of]);
  return {
    name,
    unit,
    count: count ?? null,
    min: bounds('min') ?? null,
    mean: bounds('mean') ?? null,
    max: bounds('max') ?? null,
    percentiles: percentiles.map((percentile, at) => ({
      percentile,
      ...boundsJson(facts?.percentiles[at] ?? { lower: Number.NaN, upper: Number.NaN }),
    })),
  };
}

/** A document of JSON with exact counts, which may be beyond the integers of a double. */
export function exactDocument(value: Parameters<typeof toJsonText>[0]): string {
  // Strings have no line feeds in JSON, so a line begins with its indent.
  return toJsonText(value, 'json-pretty').replace(/^ +/gm, (indent) => ' '.repeat(indent.length / 2));
}
