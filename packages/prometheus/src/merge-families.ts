import type { Metric, MetricFamily, Warn } from './families.ts';
import { seriesKey } from './labels.ts';
import { exposedName } from './names.ts';

/**
 * Merges families that have the same exposed name, because an exposition must name a family only once:
 * - A family of another type than the first is left out.
 * - The first help text and the first unit that are not empty apply to all.
 * - A series is left out when an earlier one has the same labels.
 */
export function mergeFamilies(families: readonly MetricFamily[], warn: Warn): MetricFamily[] {
  const byName = new Map<string, MetricFamily>();
  for (const family of families) {
    const name = exposedName(family);
    const first = byName.get(name);
    byName.set(name, first === undefined ? family : merged(name, first, family, warn));
  }
  return [...byName].map(([name, family]) => withoutDuplicates(name, family, warn));
}

function merged(name: string, first: MetricFamily, later: MetricFamily, warn: Warn): MetricFamily {
  if (first.type !== later.type) {
    warn(`"${name}" is already a ${first.type}: the ${later.type} of this name is left out`);
    return first;
  }
  for (const fact of ['help', 'unit'] as const) {
    if (first[fact] !== '' && later[fact] !== '' && first[fact] !== later[fact]) {
      const [kept, lost] = [JSON.stringify(first[fact]), JSON.stringify(later[fact])];
      warn(`"${name}" already has the ${fact} ${kept}: ${lost} is not shown`);
    }
  }
  return {
    ...first,
    help: first.help || later.help,
    unit: first.unit || later.unit,
    metrics: [...first.metrics, ...later.metrics],
  };
}

function withoutDuplicates(name: string, family: MetricFamily, warn: Warn): MetricFamily {
  if (family.metrics.length < 2) return family;
  const seen = new Set<string>();
  const metrics = family.metrics.filter(({ labels }: Metric) => {
    const { size } = seen;
    return seen.add(seriesKey(labels)).size > size;
  });
  const duplicates = family.metrics.length - metrics.length;
  if (duplicates === 0) return family;
  warn(`"${name}" has ${duplicates} series with the same labels as others: these series are left out`);
  return { ...family, metrics };
}
