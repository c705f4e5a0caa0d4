import { HdrscopeError } from '@hdrscope/core';
import {
  callback,
  flag,
  formatDecimal,
  type OptionRules,
  object,
  optional,
  readOptions,
  type SettingsOf,
  withDefault,
} from '@hdrscope/core/internal';
import { reasonOf } from '@hdrscope/kit';
import {
  type IngestHealth,
  type Ingestion,
  IngestMemory,
  type IntakeOptions,
  ingest,
  type Reading,
  type Registry,
} from '@hdrscope/registry';
import { assertRegistry, hasAnswered, INTAKE_RULES, keepReading } from '@hdrscope/registry/internal';
import type { Axis } from '../histogram/axis.ts';
import type { CephDaemon } from './daemons.ts';
import { assertDistinct } from './increase.ts';
import { askMappedPools } from './mapped-pools.ts';
import { PARSE_DUMP_RULES, type ParseDumpOptions, parseDump } from './parse-dump.ts';
import { askDaemon, type DaemonAnswer, Questions } from './questions.ts';
import { assertKnownAxes } from './read-axis.ts';
import type { ImportedHistogram } from './read-histogram.ts';
import { type AxisClasses, CLASSES, defaultFamilyName, Readings } from './readings.ts';
import { readByTell, TELL_RULES, type TellOptions } from './tell.ts';

/** The options of `ingestCeph`. */
export interface IngestCephOptions extends IntakeOptions, ParseDumpOptions {
  /** Divides the series of the other axes by the value on this axis: latencies by the size of requests. @default no division */
  readonly classes?: AxisClasses;
  /** Gives the name of the family of an axis. @default names like `ceph.osd.op_w_latency_in_bytes.latency` */
  readonly familyName?: (histogram: ImportedHistogram, axis: Axis) => string;
  /**
   * Whether there are families of all daemons together, too: `ceph.merged.osd.op_w_latency_in_bytes.latency` beside
   * `ceph.osd.op_w_latency_in_bytes.latency`. A percentile of many daemons cannot be computed from those of each.
   * @default false
   */
  readonly merged?: boolean;
}

/** The options of `ingestCephByTell`. */
export interface IngestCephByTellOptions extends IngestCephOptions, Omit<TellOptions, 'signal'> {}

/** A dump as text, or histograms that were read from one. */
export type FetchedDump = string | readonly ImportedHistogram[];

/** The histograms of daemons in a registry. */
export interface CephIngestion extends Ingestion {
  /** `resets` counts histograms, however many axes they have. */
  readonly health: IngestHealth;
  /**
   * The histograms of the last dump that could be parsed: cumulative since the daemon began, with all their axes. Empty
   * before the first dump. The next dump is compared with these histograms, so callers must not change them.
   */
  readonly latest: readonly ImportedHistogram[];
  /** The daemons that have answered and are still there, as the last reading has found them; empty before the first one. */
  readonly answers: readonly AnswerAge[];
}

/** How old the answer of a daemon is. */
export interface AnswerAge {
  /** Its name; empty for an only daemon without one. */
  readonly daemon: string;
  /** The time from its last answer to the last reading, in seconds: 0 where it has answered then. It grows while the daemon hangs. */
  readonly ageSeconds: number;
  /**
   * The pools whose placement groups an OSD had at its last answer, by their numbers. Its histograms count the operations of all of them.
   * @default the daemon is no OSD, was asked by `ceph tell`, or does not say
   */
  readonly poolIds?: readonly number[];
}

/**
 * Has a registry read the histograms of a daemon whenever it is gathered. Each axis of several slots is a family; times are in
 * seconds, sizes in bytes. The increase since the dump before is added, so series only grow, even when the daemon is reset.
 *
 * A slot counts at its middle, and a family has enough digits to keep the slots apart. Explicit buckets at the bounds of the
 * slots, which Prometheus and OTLP get by default, are exact. Negative values count as rejected. A sum is exact when the
 * histograms have sums: those of `askHistograms`, whose counters may be ahead by the values that are counted while it asks, and
 * those in a dump. Otherwise it is the sum of the middles, and the description of the family says that it is an estimate.
 *
 * @param fetch Returns the answer to `perf histogram dump`, as text, or what `askHistograms` has read.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 * @example
 * ```ts
 * import { ingestCeph } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const fetch = () => `{"osd":{"op_r_latency":{"axes":[{"name":"Latency (usec)","min":0,"quant_size":100000,
 *   "buckets":4,"scale_type":"log2"}],"values":[0,7,2,1]}}}`;
 * const registry = createRegistry();
 * ingestCeph(registry, fetch);
 *
 * const [family] = (await registry.gather()).families;
 * [family!.name, family!.unit]; //=> ['ceph.osd.op_r_latency', 's']
 * family!.boundaries; //=> [0.000099999, 0.000199999]
 * family!.series[0]!.histogram.totalCount; //=> 10
 * ```
 *
 * A family holds one axis of a histogram. `latest` has the histograms with all their axes, as they were read last:
 *
 * ```ts
 * import { ingestCeph } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const fetch = () => `{"osd":{"op_r":{"values":[[0,0],[7,2]],"axes":[
 *   {"name":"x","min":0,"quant_size":8,"buckets":2,"scale_type":"linear"},
 *   {"name":"y","min":0,"quant_size":8,"buckets":2,"scale_type":"linear"}]}}}`;
 * const registry = createRegistry();
 * const ceph = ingestCeph(registry, fetch);
 * ceph.latest; //=> []
 *
 * await registry.gather();
 * ceph.latest.map(({ counter, histogram }) => [counter, histogram.countAt([1, 1])]); //=> [['op_r', 2n]]
 * ```
 */
export function ingestCeph(
  registry: Registry,
  fetch: () => FetchedDump | Promise<FetchedDump>,
  options: IngestCephOptions = {},
): CephIngestion {
  assertRegistry(registry);
  const { intake, how, parsed } = divide(readOptions(options, INGEST_CEPH));
  const readings = new Readings(intake.memory, how);
  let latest: readonly ImportedHistogram[] = [];
  let answers: readonly AnswerAge[] = [];
  const read = async (): Promise<Reading[]> => {
    const answer = await fetch();
    const histograms = typeof answer === 'string' ? parseDump(answer, parsed) : answer;
    assertDistinct(histograms);
    latest = histograms;
    answers = [{ daemon: '', ageSeconds: 0 }];
    assertKnownAxes(latest, parsed.units);
    return latest.flatMap((histogram) => readings.of(histogram));
  };
  const ingestion = ingest(registry, { name: 'ceph', read }, intake);
  return {
    ...ingestion,
    get health() {
      return { ...ingestion.health, resets: readings.resets };
    },
    get latest() {
      return latest;
    },
    get answers() {
      return answers;
    },
  };
}

/**
 * Has a registry read many daemons whenever it is gathered, as `ingestCeph` does with one. The list of daemons is made anew
 * each time, so daemons come and go. Their series differ in the attribute `ceph_daemon`, as those of ceph-exporter do. A daemon
 * that does not answer is an error of the source, and does not keep the others from being read.
 *
 * Among several daemons, one that hangs delays one gather by a second. It has one request at a time, and its counts come with the gather
 * after its answer.
 *
 * @param list Returns the daemons, such as `daemonsAt('/var/run/ceph')`.
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `ingestCeph` does.
 * @example
 * ```ts
 * import { ingestCephDaemons } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const dump = `{"osd":{"op_r":{"axes":[{"name":"Items","min":0,"quant_size":8,"buckets":3,
 *   "scale_type":"linear"}],"values":[0,7,2]}}}`;
 * const ask = async (prefix: string) => (prefix === 'perf dump' ? '{}' : dump);
 * const registry = createRegistry();
 * ingestCephDaemons(registry, async () => [{ name: 'osd.0', ask }, { name: 'osd.1', ask }], { merged: true });
 *
 * const { families } = await registry.gather();
 * families.map(({ name }) => name); //=> ['ceph.osd.op_r', 'ceph.merged.osd.op_r']
 * families[0]!.series.map(({ attributes }) => attributes.ceph_daemon); //=> ['osd.0', 'osd.1']
 * families[1]!.series[0]!.histogram.totalCount; //=> 18
 * ```
 */
export function ingestCephDaemons(
  registry: Registry,
  list: () => Promise<readonly CephDaemon[]>,
  options: IngestCephOptions = {},
): CephIngestion {
  assertRegistry(registry);
  const settings = divide(readOptions(options, INGEST_CEPH_DAEMONS));
  const questions = new Questions<CephDaemon>(async (daemon) => {
    const pools = askMappedPools(daemon.name ?? '', daemon.ask);
    return { ...(await askDaemon(daemon, settings.parsed, ATTEMPTS)), poolIds: await pools };
  });
  return ingestAnswers(registry, settings, async () => {
    const listed = await list();
    // Two daemons of one name would be compared with each other, and count again at each reading.
    const daemons = listed.filter(
      ({ name }, at) => name === undefined || listed.findIndex((one) => one.name === name) === at,
    );
    const others = listed
      .filter((one) => !daemons.includes(one))
      .map(({ name = '' }): DaemonAnswer => {
        return { name, histograms: undefined, problem: 'another daemon has this name, and is read' };
      });
    // An only daemon delays nobody.
    return [...(await questions.read(daemons, daemons.length === 1)), ...others];
  });
}

/**
 * Has a registry read the daemons that the program `ceph tell` reaches whenever it is gathered, also those on other machines, as
 * `ingestCephDaemons` does with sockets. While all daemons answer, three runs of the program ask all of them. When one hangs, each is asked
 * by runs of its own, so that the others are read.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` as `ingestCeph` does.
 * @example
 * ```ts
 * import { ingestCephByTell } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const ceph = ingestCephByTell(registry, { target: 'osd.*', program: '/nope/ceph' });
 * const { errors } = await registry.gather();
 * String(errors[0]!.error); //=> 'HdrscopeError: /nope/ceph tell osd.* has failed: there is no such program'
 * await ceph.close();
 * ```
 */
export function ingestCephByTell(registry: Registry, options: IngestCephByTellOptions = {}): CephIngestion {
  assertRegistry(registry);
  const { target, program, ...own } = readOptions(options, INGEST_CEPH_BY_TELL);
  const settings = divide(own);
  const closing = new AbortController();
  const read = readByTell({ target, program, signal: closing.signal }, settings.parsed);
  const ingestion = ingestAnswers(registry, settings, read);
  return {
    ...ingestion,
    get health() {
      return ingestion.health;
    },
    get latest() {
      return ingestion.latest;
    },
    get answers() {
      return ingestion.answers;
    },
    async close() {
      closing.abort(new Error('the ingestion is closed'));
      await ingestion.close();
    },
  };
}

/** Has a registry read the answers of daemons whenever it is gathered. Daemons may come and go. */
function ingestAnswers(
  registry: Registry,
  { intake, how, parsed }: ReturnType<typeof divide>,
  readAnswers: () => Promise<readonly DaemonAnswer[]>,
): CephIngestion {
  const readings = new Readings(intake.memory, how);
  let latest: readonly ImportedHistogram[] = [];
  let readErrors = 0;
  /** When each daemon has answered last, in milliseconds of the runtime's clock, and with which pools. */
  const answered = new Map<string, { readonly atMs: number; readonly poolIds: DaemonAnswer['poolIds'] }>();
  let ages: readonly AnswerAge[] = [];
  /** Daemons that did not answer at first. What they have counted by their first answer is not new since now. */
  const unheard = new Set<string>();
  let running: Promise<void> | undefined;
  const ingestion = ingest(registry, { name: 'ceph' }, intake);
  const read = async (): Promise<void> => {
    const answers = await readAnswers();
    latest = answers.flatMap(({ histograms = [] }) => histograms);
    const nowMs = performance.now();
    const before = new Map(answered);
    answered.clear();
    for (const { name, histograms, heldMs = 0, poolIds } of answers) {
      const last = histograms === undefined ? before.get(name) : { atMs: nowMs - heldMs, poolIds };
      if (last !== undefined) answered.set(name, last);
    }
    ages = [...answered].map(([daemon, { atMs, poolIds }]) => ({
      ...{ daemon, ageSeconds: (nowMs - atMs) / 1000 },
      ...(poolIds !== undefined && { poolIds }),
    }));
    // A daemon that does not answer may be the one that has the axis.
    if (answers.every(({ histograms }) => histograms !== undefined)) assertKnownAxes(latest, parsed.units);
    const isFirst = intake.since === 'now' && !hasAnswered(intake.memory);
    const problems: unknown[] = [];
    const all: (readonly Reading[])[] = [];
    for (const answer of answers) {
      const { name, histograms } = answer;
      try {
        if (histograms === undefined) throw problemOf(answer);
        const own = histograms.flatMap((histogram) => readings.of(histogram));
        if (!unheard.delete(name)) all.push(own);
        else for (const reading of own) keepReading(intake.memory, reading, performance.now());
      } catch (error) {
        if (isFirst) unheard.add(name);
        problems.push(ofDaemon(name, error));
      }
    }
    const isHeard = problems.length < answers.length || answers.length === 0;
    if (isHeard) for (const refusal of ingestion.take(all.flat())) problems.push(refusal);
    if (problems.length === 1) throw problems[0];
    if (problems.length > 1) throw new AggregateError(problems, problems.map(reasonOf).join('; '));
  };
  const collect = async (): Promise<void> => {
    try {
      await read();
      intake.observer?.succeeded?.();
    } catch (error) {
      readErrors++;
      intake.observer?.failed?.(error);
      throw error;
    }
  };
  const { sourceName: name = 'ceph', timeoutMs } = intake;
  const source = {
    name,
    collect: (): Promise<void> => {
      running ??= collect().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
  const remove = registry.add(source, timeoutMs === undefined ? {} : { maxTimeoutMs: timeoutMs });
  return {
    ...ingestion,
    get health() {
      return { ...ingestion.health, readErrors, resets: readings.resets };
    },
    get latest() {
      return latest;
    },
    get answers() {
      return ages;
    },
    async close() {
      remove();
      await running?.catch(() => {});
      await ingestion.close();
    },
  };
}

/** The reason why a daemon has no histograms. One that is late says for how long it has been asked. */
function problemOf({ problem = 'it does not answer', error, lateMs }: DaemonAnswer): unknown {
  if (error !== undefined) return error;
  return new Error(lateMs === undefined ? problem : `no answer for ${formatDecimal(lateMs / 1000, 1)} s`);
}

/** An error with the name of its daemon. Errors of sockets have the path already. */
function ofDaemon(name: string, error: unknown): unknown {
  const hasPath = error instanceof HdrscopeError && (error.code as string) === 'ERR_ADMIN_SOCKET';
  return name === '' || hasPath ? error : new Error(`${name}: ${reasonOf(error)}`, { cause: error });
}

/** Counts that go on need no sums of one moment: the sums of the next reading go on, too. */
const ATTEMPTS = 1;

const INGEST_RULES = {
  ...INTAKE_RULES,
  ...PARSE_DUMP_RULES,
  classes: optional(object()),
  familyName: withDefault(callback(), defaultFamilyName),
  merged: withDefault(flag, false),
} satisfies OptionRules<IngestCephOptions>;

/** The parts of the options: for the ingestion, for the families, and for the parser. */
function divide(settings: SettingsOf<IngestCephOptions, typeof INGEST_RULES>) {
  const { attributes, dropAttributes, sourceName, since, timeoutMs, observer, memory, ...shown } = settings;
  const { classes, familyName, merged, ...parsed } = shown;
  return {
    intake: {
      memory: memory ?? new IngestMemory(),
      attributes,
      dropAttributes,
      sourceName,
      since,
      timeoutMs,
      observer,
    },
    how: { classes: classes && readOptions(classes, CLASSES, 'classes.'), familyName, merged },
    parsed,
  };
}

const INGEST_CEPH = {
  name: 'ingestCeph',
  rules: INGEST_RULES,
  call: "ingestCeph(registry, fetch, { since: 'now' })",
};

const INGEST_CEPH_DAEMONS = {
  name: 'ingestCephDaemons',
  rules: INGEST_RULES,
  call: 'ingestCephDaemons(registry, list, { merged: true })',
};

const INGEST_CEPH_BY_TELL = {
  name: 'ingestCephByTell',
  rules: { ...INGEST_RULES, ...TELL_RULES } satisfies OptionRules<IngestCephByTellOptions>,
  call: "ingestCephByTell(registry, { target: 'osd.*' })",
};
