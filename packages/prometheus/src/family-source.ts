import { reasonOf, within } from '@hdrscope/kit';
import { report } from './diagnostics.ts';
import type { MetricFamily, Warn } from './families.ts';
import type { SnapshotFamiliesOptions } from './from-registry.ts';
import { type LazyFamily, lazyFamily } from './lazy-family.ts';
import { exposedName } from './names.ts';

/** Returns more families than those of a registry or an SDK. Called at every scrape with the options for snapshots. */
export type FamilySource = (
  options: SnapshotFamiliesOptions,
) => readonly MetricFamily[] | Promise<readonly MetricFamily[]>;

/**
 * The families of `main`, then those of the sources, which are called at once. A source that fails or exceeds the timeout
 * is left out and logged, so this rejects only if `main` does. A family of a source is left out with a warning when `main` or an
 * earlier source has a family of its name: series of one name that count different things must not be mixed.
 */
export async function gatherFamilies(
  main: Promise<readonly LazyFamily[]>,
  sources: readonly FamilySource[],
  options: SnapshotFamiliesOptions,
  timeoutMs: number,
): Promise<readonly LazyFamily[]> {
  const [own, ...others] = await Promise.all([
    main,
    ...sources.map((source) => familiesOf(source, options, timeoutMs)),
  ]);
  return [...own, ...withoutTakenNames(own, others, options.warn)];
}

/** A family of another type than the first of its name is left out when families are merged. */
function withoutTakenNames(
  own: readonly LazyFamily[],
  others: readonly (readonly MetricFamily[])[],
  warn: Warn = () => {},
): LazyFamily[] {
  const types = new Map(own.map((family) => [exposedName(family), family.type]));
  return others.flatMap((families) => {
    const left = families.filter((family) => {
      const name = exposedName(family);
      const isTaken = types.get(name) === family.type;
      if (isTaken) warn(`"${name}" comes from two sources: the ${family.type} of the later one is left out`);
      return !isTaken;
    });
    for (const family of left) {
      const name = exposedName(family);
      if (!types.has(name)) types.set(name, family.type);
    }
    return left.map(lazyFamily);
  });
}

async function familiesOf(
  source: FamilySource,
  options: SnapshotFamiliesOptions,
  timeoutMs: number,
): Promise<readonly MetricFamily[]> {
  try {
    return await within(Promise.resolve(source(options)), timeoutMs);
  } catch (error) {
    report('warn', `a source of metric families failed: ${reasonOf(error)}`, error);
    return [];
  }
}
