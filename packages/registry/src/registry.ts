import {
  assertFollows,
  having,
  number,
  type OptionRule,
  type OptionRules,
  optional,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import { Slices } from '@hdrscope/kit';
import { AskedSource, timeout } from './asked-source.ts';
import { type Clock, clock as clockRule, systemClock } from './clock.ts';
import { EndedList } from './ended.ts';
import { Family, type FamilySnapshot } from './family.ts';
import { assertSameCounting, countingOptions, type FamilyOptions, familySettings } from './family-options.ts';
import { type LimitListener, LimitListeners } from './series-limit.ts';
import { type FamilyFacts, type ShownFamily, type ShownRegistry, showFamily, showSnapshot } from './shown.ts';
import {
  createSnapshot,
  type FamilyIdentity,
  familyKey,
  type Snapshot,
  type SourceFailure,
} from './snapshot.ts';

/** The limits of one call of a source. */
export interface CollectLimits {
  /** How long the gather that calls the source waits, in milliseconds: above 0, and `Infinity` without a limit. */
  readonly timeoutMs: number;
}

/** Something that counts, and brings its counts into a registry whenever that is gathered. */
export interface Source {
  /** Names the source in errors and snapshots. */
  readonly name: string;
  /**
   * Brings the registry up to date. Gathers that overlap share a call, unless it takes longer than a second and none of them has a
   * limit. A call that takes longer than its limit may go on: its counts are in the next snapshot.
   */
  collect(registry: Registry, limits: CollectLimits): void | Promise<void>;
}

/** The options of a source in a registry. */
export interface SourceOptions {
  /**
   * How long a gather that states no `timeoutMs` waits for the source, in milliseconds: above 0. See `GatherOptions.timeoutMs`, which
   * has precedence.
   * @default no limit
   */
  readonly timeoutMs?: number;
  /**
   * How long a call of the source may take, in milliseconds: above 0. No gather waits longer, whatever time it states.
   * @default no limit
   */
  readonly maxTimeoutMs?: number;
}

/** The options of a gather. */
export interface GatherOptions {
  /**
   * The time of the snapshot, in milliseconds since 1970: a finite number.
   * @default the time of the clock when all sources are done
   */
  readonly nowMs?: number;
  /**
   * How long each source may take, in milliseconds: above 0, `Infinity` for no limit. It replaces the `timeoutMs` of the
   * sources, shorter and longer ones, because the caller knows how long it can wait. Only a `maxTimeoutMs` that somebody has set for a
   * source is shorter still.
   *
   * The errors of the snapshot name a source that takes longer. It is not called again until it has ended, and its late counts are in
   * the next snapshot. The time begins with the call, which an earlier gather may have made: a source that hangs is waited for once,
   * and again only by a gather that gives it more time than has passed.
   * @default the limit of each source
   */
  readonly timeoutMs?: number;
  /**
   * Sources that began to answer so many milliseconds ago, or less, are not asked again: at least 0. The readers of
   * hdrscope pass 100, so that one question serves all who collect at the same moment. What was recorded in this registry
   * itself is always in the snapshot.
   * @default 0
   */
  readonly maxAgeMs?: number;
}

/** The age of answers that readers share, in milliseconds: see `GatherOptions.maxAgeMs`. */
export const SHARED_GATHER_MS = 100;

/** The options of a registry. */
export interface RegistryOptions {
  /** Gives the time of snapshots and the start of series, and measures timers. @default the clock of the runtime */
  readonly clock?: Clock;
}

/** Families of histograms, and the sources that are collected from. `createRegistry` makes it. */
export interface Registry {
  /**
   * The family of this name and scope; the first call makes it.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it;
   *   `ERR_ALREADY_REGISTERED` when the family has another unit, resolution, number of significant digits or cardinality limit.
   */
  histogram(options: FamilyOptions): Family;
  /** The family of this name and scope; `undefined` when there is no such family. */
  family(identity: FamilyIdentity): Family | undefined;
  /**
   * Collects from a source at every `gather`. A source that was added already is not added again.
   *
   * @returns A function that removes the source. Its counts stay.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
   */
  add(source: Source, options?: SourceOptions): () => void;
  /**
   * Collects from all sources at once, then takes a snapshot of all families. A source that fails is named in the
   * errors of the snapshot, and does not affect the others.
   *
   * Gathers that overlap share the calls of the sources. The snapshot has all that was recorded before the gather was asked for.
   * The work is cut into slices of a few milliseconds, so that other work of the process runs in between: each series shows
   * one moment, and the moments of two series are at most as far apart as the gather takes.
   *
   * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
   *   Otherwise it rejects only with what the clock throws.
   */
  gather(options?: GatherOptions): Promise<Snapshot>;
  /**
   * A snapshot without families, to begin with: the difference from it are all counts, and those of series that end from now on. Do
   * not keep it for longer than until the next snapshot, since the last states of ended series stay in memory for it.
   */
  emptySnapshot(): Snapshot;
}

/**
 * Makes an empty registry.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
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
export function createRegistry(options: RegistryOptions = {}): Registry {
  const { clock } = readOptions(options, REGISTRY);
  const families = new Map<string, Family>();
  const ended = new EndedList();
  const limits = new LimitListeners();
  const sources = new Map<Source, AskedSource>();
  /** Ends when no snapshot is being taken. */
  let reading: Promise<unknown> = Promise.resolve();
  /** One after the other: a snapshot that overtook another one would lack what the other has begun to read. */
  const inTurn = <Result>(read: () => Promise<Result>): Promise<Result> => {
    const result = reading.then(read);
    // One that fails, as when a clock throws, must not stop those after it.
    reading = result.catch(() => undefined);
    return result;
  };

  const registry: Registry = {
    histogram(options) {
      const settings = familySettings(options);
      const key = familyKey(settings);
      const known = families.get(key);
      if (known !== undefined) {
        assertSameCounting(known, countingOptions(settings));
        return known;
      }
      const family = new Family(options, clock, ended, limits.report);
      families.set(key, family);
      return family;
    },
    family(identity) {
      return families.get(familyKey(identity));
    },
    add(source, sourceOptions = {}) {
      assertFollows('the source', having<Source>('a source', 'collect'), source);
      const limits = readOptions(sourceOptions, ADD);
      const collect = (limitMs: number): void | Promise<void> =>
        source.collect(registry, { timeoutMs: limitMs });
      if (!sources.has(source)) sources.set(source, new AskedSource(source.name, collect, clock, limits));
      return () => sources.delete(source);
    },
    async gather(gatherOptions = {}) {
      const { nowMs, ...limits } = readOptions(gatherOptions, GATHER);
      const errors = await askSources(limits);
      return inTurn(async () => {
        const [timeMs, before] = [nowMs ?? clock.nowMs(), ended.tail];
        return createSnapshot(timeMs, await snapshotsOf([...families.values()]), errors, before);
      });
    },
    emptySnapshot() {
      return createSnapshot(0, [], [], ended.tail);
    },
  };
  const askSources = async ({ timeoutMs, maxAgeMs = 0 }: AskLimits): Promise<SourceFailure[]> => {
    const asked = [...sources.values()];
    const failures = await Promise.all(asked.map((source) => failureOf(source, timeoutMs, maxAgeMs)));
    return failures.filter((failure) => failure !== undefined);
  };
  shownBy.set(registry, async (limits, wantsStates) => {
    const errors = await askSources(limits);
    return inTurn(async (): Promise<ShownRegistry> => {
      const shown: ShownFamily[] = [];
      const slices = new Slices();
      for (const family of [...families.values()]) {
        const { endedRejected } = family;
        if (wantsStates(family)) shown.push(showFamily(await family.snapshotIn(slices)));
        else shown.push({ family, series: family.listSeries(), endedRejected });
      }
      return { timeMs: clock.nowMs(), families: shown, errors };
    });
  });
  limitListeners.set(registry, limits);
  snapshotsNow.set(registry, () =>
    createSnapshot(
      clock.nowMs(),
      [...families.values()].map((family) => family.snapshot()),
      [],
      ended.tail,
    ),
  );
  return registry;
}

/** Takes a snapshot of a registry. */
const snapshotsNow = new WeakMap<Registry, () => Snapshot>();

/** A snapshot of what is in a registry, at once: no source is asked. For a process that ends. */
export function snapshotNow(registry: Registry): Snapshot {
  return snapshotsNow.get(registry)!();
}

/** How long sources are waited for: see `GatherOptions`. */
interface AskLimits {
  readonly timeoutMs?: number | undefined;
  readonly maxAgeMs?: number | undefined;
}

type Show = (limits: AskLimits, wantsStates: (family: FamilyFacts) => boolean) => Promise<ShownRegistry>;

const shownBy = new WeakMap<Registry, Show>();

/**
 * Collects from all sources, then gives all series to a reader that takes their states when it comes to them. That takes a fraction of the
 * time of a snapshot, after which the next records copy their counts.
 *
 * @param wantsStates Whether a family comes as states of one moment, because the reader shows several parts of it apart.
 */
export async function readShown(
  registry: Registry,
  limits: AskLimits = {},
  wantsStates: (family: FamilyFacts) => boolean = () => false,
): Promise<ShownRegistry> {
  const show = shownBy.get(registry);
  // The registry may be one of another copy of this package.
  return show === undefined
    ? showSnapshot(await registry.gather(limits as GatherOptions))
    : show(limits, wantsStates);
}

const limitListeners = new WeakMap<Registry, LimitListeners>();

/** Hears once of each family that reaches its limit of series from now on. @returns A function that ends this. */
export function watchSeriesLimit(registry: Registry, listener: LimitListener): () => void {
  return limitListeners.get(registry)?.add(listener) ?? (() => {});
}

const REGISTRY = {
  name: 'createRegistry',
  rules: { clock: withDefault(clockRule, systemClock) } satisfies OptionRules<RegistryOptions>,
};

const ADD = {
  name: 'registry.add',
  rules: {
    timeoutMs: withDefault(timeout, Number.POSITIVE_INFINITY),
    maxTimeoutMs: withDefault(timeout, Number.POSITIVE_INFINITY),
  } satisfies OptionRules<SourceOptions>,
  call: 'registry.add(source, { timeoutMs: 1000 })',
};

const GATHER = {
  name: 'registry.gather',
  rules: {
    nowMs: optional(number()),
    timeoutMs: optional(timeout),
    maxAgeMs: withDefault(number({ from: 0, to: Number.POSITIVE_INFINITY }), 0),
  } satisfies OptionRules<GatherOptions>,
};

export const registry: OptionRule<Registry> = /* @__PURE__ */ having('a registry', 'histogram', 'gather');

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertRegistry(value: unknown): asserts value is Registry {
  assertFollows('the registry', registry, value);
}

async function snapshotsOf(families: readonly Family[]): Promise<FamilySnapshot[]> {
  const slices = new Slices();
  const snapshots: FamilySnapshot[] = [];
  for (const family of families) snapshots.push(await family.snapshotIn(slices));
  return snapshots;
}

async function failureOf(
  source: AskedSource,
  timeoutMs: number | undefined,
  maxAgeMs: number,
): Promise<SourceFailure | undefined> {
  try {
    await source.ask(timeoutMs, maxAgeMs);
    return undefined;
  } catch (error) {
    return Object.freeze({ source: source.name, error });
  }
}
