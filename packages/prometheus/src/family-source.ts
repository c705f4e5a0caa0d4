import { reasonOf, within } from '@hdrscope/kit';
import { report } from './diagnostics.ts';
import type { MetricFamily } from './families.ts';
import type { SnapshotOptions } from './from-registry.ts';
import { type LazyFamily, lazyFamily } from './lazy-family.ts';

/** Returns more families than those of a registry or an SDK. Called at every scrape with the options for snapshots. */
export type FamilySource = (
  options: SnapshotOptions,
) => readonly MetricFamily[] | Promise<readonly MetricFamily[]>;

/**
 * The families of `main`, then those of the sources, which are called at once. A source that fails or exceeds the timeout
 * is left out and logged, so this rejects only if `main` does.
 */
export async function gatherFamilies(
  main: Promise<readonly LazyFamily[]>,
  sources: readonly FamilySource[],
  options: SnapshotOptions,
  timeoutMs: number,
): Promise<readonly LazyFamily[]> {
  const [own, ...others] = await Promise.all([
    main,
    ...sources.map((source) => familiesOf(source, options, timeoutMs)),
  ]);
  return [...own, ...others.flat().map(lazyFamily)];
}

async function familiesOf(
  source: FamilySource,
  options: SnapshotOptions,
  timeoutMs: number,
): Promise<readonly MetricFamily[]> {
  try {
    return await within(Promise.resolve(source(options)), timeoutMs);
  } catch (error) {
    report('warn', `a source of metric families failed: ${reasonOf(error)}`, error);
    return [];
  }
}
