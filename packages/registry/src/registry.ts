import { type Clock, systemClock } from './clock.ts';
import { alreadyRegistered, differenceFrom, Family, type FamilyOptions } from './family.ts';
import { createSnapshot, familyKey, type Snapshot, type SourceFailure } from './snapshot.ts';

/** Something that is asked for its counts whenever the registry is gathered. */
export interface Source {
  /** Names it where it fails. */
  readonly name: string;
  /** Brings the registry up to date. May be called again before it has ended, when several ask for a snapshot. */
  collect(registry: Registry): void | Promise<void>;
}

/** The one place where all counts come together. */
export interface Registry {
  /**
   * The family of this name (and scope), made if need be. Asking again with equal options gives the same one.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION`; `ERR_ALREADY_REGISTERED` when the options are not equal.
   */
  histogram(options: FamilyOptions): Family;
  /** Has a source asked at every `gather`, until the returned function is called. */
  add(source: Source): () => void;
  /**
   * Asks all sources at once, then takes a snapshot of everything. A source that fails is named in the snapshot and
   * leaves the others alone; so this never rejects.
   */
  gather(options?: { readonly nowMs?: number }): Promise<Snapshot>;
}

/**
 * Makes an empty registry.
 *
 * @example
 * ```ts
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const requests = registry.histogram({ name: 'http.server.request.duration', unit: 's', significantDigits: 3 });
 * const reads = requests.with({ 'http.request.method': 'GET' });
 * reads.record(0.012);
 * reads.record(0.25);
 *
 * const snapshot = await registry.gather();
 * const [series] = snapshot.families[0]!.series;
 * [series!.histogram.totalCount, series!.sum, series!.max]; //=> [2, 0.262, 0.25]
 * ```
 */
export function createRegistry({ clock = systemClock }: { readonly clock?: Clock } = {}): Registry {
  const families = new Map<string, Family>();
  const sources = new Set<Source>();

  const registry: Registry = {
    histogram(options) {
      const key = familyKey(options);
      const known = families.get(key);
      if (known !== undefined) {
        const difference = differenceFrom(known, options, clock);
        if (difference !== undefined) throw alreadyRegistered(options.name, difference);
        return known;
      }
      const family = new Family(options, clock);
      families.set(key, family);
      return family;
    },
    add(source) {
      sources.add(source);
      return () => sources.delete(source);
    },
    async gather({ nowMs } = {}) {
      const failures = await Promise.all([...sources].map((source) => failureOf(source, registry)));
      const errors = failures.filter((failure) => failure !== undefined);
      const snapshots = [...families.values()].map((family) => family.snapshot());
      return createSnapshot(nowMs ?? clock.nowMs(), snapshots, errors);
    },
  };
  return registry;
}

async function failureOf(source: Source, registry: Registry): Promise<SourceFailure | undefined> {
  try {
    await source.collect(registry);
    return undefined;
  } catch (error) {
    return Object.freeze({ source: source.name, error });
  }
}
