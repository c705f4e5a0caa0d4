import { createRegistry, type FamilyOptions, type Registry } from '@hdrscope/registry';

/** The start of all series in tests, in milliseconds since 1970. */
export const START_MS = 1_700_000_000_123;

export function testRegistry(): Registry {
  return createRegistry({ clock: { nowMs: () => START_MS, monotonicMs: () => 0 } });
}

/** A registry with one family and one series that holds these values. */
export function registryOf(values: readonly number[], options: Partial<FamilyOptions> = {}): Registry {
  const registry = testRegistry();
  const series = registry.histogram({ name: 'x', ...options }).with({});
  for (const value of values) series.record(value);
  return registry;
}
