import type { Frame } from '@hdrscope/ebpf';
import { UsageError } from '../command.ts';
import { metricOf, type ServedMap } from './served-map.ts';

interface Claim {
  readonly map: ServedMap;
  readonly bounds: string;
}

/** Which map has which metric. Counts of two maps in one series would be those of neither. */
export class MetricClaims {
  readonly #claims = new Map<string, Claim[]>();

  /** @throws UsageError when another map has the metric, with the same attributes or with other slots. */
  claim(map: ServedMap, { histograms }: Frame): void {
    for (const { name, layout } of histograms) {
      const metric = metricOf(map, name);
      const claims = this.#claims.get(metric) ?? [];
      const mine = { map, bounds: layout.slots.bounds.join() };
      for (const other of claims) {
        if (other.map !== map) assertApart(metric, mine, other);
      }
      this.#claims.set(metric, [...claims.filter((claim) => claim.map !== map), mine]);
    }
  }
}

function assertApart(metric: string, mine: Claim, other: Claim): void {
  const [a, b] = [other.map, mine.map];
  const both = `${a.argument} and ${b.argument} are both the metric ${metric}`;
  if (textOf(a.attributes) === textOf(b.attributes)) {
    throw new UsageError(
      `${both}: add metric=NAME or attributes.NAME=TEXT to one of them, as in ${b.argument},metric=${metric}2`,
    );
  }
  if (mine.bounds !== other.bounds || a.options.unit !== b.options.unit) {
    throw new UsageError(`${both}, with other slots or another unit: add metric=NAME to one of them`);
  }
}

function textOf(attributes: ServedMap['attributes']): string {
  return JSON.stringify(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)));
}
