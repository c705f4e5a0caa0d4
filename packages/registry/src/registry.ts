import { AskedSource, assertTimeout } from './asked-source.ts';
import { type Clock, systemClock } from './clock.ts';
import { alreadyRegistered, differenceFrom, Family, type FamilyOptions, type Scope } from './family.ts';
import { createSnapshot, familyKey, type Snapshot, type SourceFailure } from './snapshot.ts';

/** Something that is asked for its counts whenever the registry is gathered. */
export interface Source {
  /** Names it where it fails. */
  readonly name: string;
  /** Brings the registry up to date. May be called again before it has ended, when several ask for a snapshot. */
  collect(registry: Registry): void | Promise<void>;
}

/** How a source is asked. */
export interface SourceOptions {
  /**
   * How long a gather waits for it, in milliseconds: above 0. A source that takes longer is named in the snapshot's
   * errors and not asked again until it has ended; what it brings late is in the next snapshot. @default no limit
   */
  readonly timeoutMs?: number;
}

/** How a snapshot is taken. */
export interface GatherOptions {
  /** The time of the snapshot, in milliseconds since 1970. @default that of the clock when all sources are done */
  readonly nowMs?: number;
  /** As in `SourceOptions`, for all sources: each is waited for as long as both allow. @default no limit */
  readonly timeoutMs?: number;
}

/** The one place where all counts come together. */
export interface Registry {
  /**
   * The family of this name (and scope), made if need be. Asking again with equal options gives the same one.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION`; `ERR_ALREADY_REGISTERED` when the options are not equal.
   */
  histogram(options: FamilyOptions): Family;
  /** The family of this name (and scope), where there is one. */
  family(identity: { readonly name: string; readonly scope?: Scope | undefined }): Family | undefined;
  /**
   * Has a source asked at every `gather`, until the returned function is called.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION`
   */
  add(source: Source, options?: SourceOptions): () => void;
  /**
   * Asks all sources at once, then takes a snapshot of everything. A source that fails is named in the snapshot and
   * leaves the others alone; so this rejects for options that are out of range only.
   */
  gather(options?: GatherOptions): Promise<Snapshot>;
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
  const sources = new Map<Source, AskedSource>();

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
    family(identity) {
      return families.get(familyKey(identity));
    },
    add(source, { timeoutMs } = {}) {
      const asked = new AskedSource(source.name, () => source.collect(registry), timeoutMs);
      if (!sources.has(source)) sources.set(source, asked);
      return () => sources.delete(source);
    },
    async gather({ nowMs, timeoutMs = Number.POSITIVE_INFINITY } = {}) {
      assertTimeout(timeoutMs);
      const asked = [...sources.values()];
      const failures = await Promise.all(asked.map((source) => failureOf(source, timeoutMs)));
      const errors = failures.filter((failure) => failure !== undefined);
      const snapshots = [...families.values()].map((family) => family.snapshot());
      return createSnapshot(nowMs ?? clock.nowMs(), snapshots, errors);
    },
  };
  return registry;
}

async function failureOf(source: AskedSource, timeoutMs: number): Promise<SourceFailure | undefined> {
  try {
    await source.ask(timeoutMs);
    return undefined;
  } catch (error) {
    return Object.freeze({ source: source.name, error });
  }
}
