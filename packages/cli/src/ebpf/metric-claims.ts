import type { Frame, KernelLayout } from '@hdrscope/ebpf';
import type { CountedUnit } from '@hdrscope/registry';
import { UsageError } from '../command.ts';
import { metricOf, type ServedMap } from './served-map.ts';

/** The slots and the unit that all maps of a metric have, and the map of each set of attributes. */
interface Claims {
  layout: KernelLayout;
  unit: CountedUnit | undefined;
  /** By the attributes, as JSON. */
  readonly maps: Map<string, ServedMap>;
}

/** Which map has which metric. Counts of two maps in one series would be those of neither. */
export class MetricClaims {
  readonly #claims = new Map<string, Claims>();

  /** @throws UsageError when another map has the metric, with the same attributes or with other slots. */
  claim(map: ServedMap, { histograms }: Frame): void {
    // The keys of a map are many histograms with one name and one layout.
    const layouts = new Map<string, KernelLayout>();
    for (const { name, layout } of histograms) {
      if (layouts.get(name) === layout) continue;
      layouts.set(name, layout);
      this.#claim(metricOf(map, name), map, layout);
    }
  }

  #claim(metric: string, map: ServedMap, layout: KernelLayout): void {
    const { unit } = map.options;
    const mine = textOf(map.attributes);
    const claims = this.#claims.get(metric) ?? { layout, unit, maps: new Map<string, ServedMap>() };
    const same = claims.maps.get(mine);
    if (same !== undefined && same !== map) {
      throw new UsageError(
        `${bothOf(same, map, metric)}: add metric=NAME or attributes.NAME=TEXT to one of them, as in ${map.argument},metric=${metric}2`,
      );
    }
    const other = [...claims.maps.values()].find((one) => one !== map);
    if (other !== undefined && (claims.unit !== unit || !hasSameSlots(claims.layout, layout))) {
      throw new UsageError(
        `${bothOf(other, map, metric)}, with other slots or another unit: add metric=NAME to one of them`,
      );
    }
    // A map that comes back may have other slots.
    Object.assign(claims, { layout, unit });
    claims.maps.set(mine, map);
    this.#claims.set(metric, claims);
  }
}

function bothOf(a: ServedMap, b: ServedMap, metric: string): string {
  return `${a.argument} and ${b.argument} are both the metric ${metric}`;
}

function hasSameSlots(a: KernelLayout, b: KernelLayout): boolean {
  return a.slots === b.slots || a.slots.bounds.join() === b.slots.bounds.join();
}

function textOf(attributes: ServedMap['attributes']): string {
  return JSON.stringify(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)));
}
