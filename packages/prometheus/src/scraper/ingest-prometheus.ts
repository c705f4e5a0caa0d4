import type { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  callback,
  flag,
  integer,
  listOf,
  number,
  type OptionRules,
  object,
  oneOf,
  optional,
  readOptions,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { inSlices, reasonOf, Slices, type Steps, wildcard } from '@hdrscope/kit';
import {
  type Attributes,
  type Clock,
  type IngestHealth,
  type Ingestion,
  IngestMemory,
  type IntakeOptions,
  ingest,
  type Registry,
  systemClock,
} from '@hdrscope/registry';
import {
  assertRegistry,
  clock,
  dropAttributes,
  hasAnswered,
  ingestMemory,
  keepReading,
} from '@hdrscope/registry/internal';
import type { FetchedExposition } from './fetch-exposition.ts';
import { LayoutPool } from './layout-pool.ts';
import { expositionSteps } from './read-exposition.ts';
import { ReadingMaker } from './readings.ts';
import type { ScrapedHistograms, ScrapeRefusal } from './scraped.ts';

/** Options of a scraped target. The `memory` is that of an earlier ingestion of the same target: nothing counts twice. */
export interface IngestPrometheusOptions extends Pick<IntakeOptions, 'since' | 'dropAttributes' | 'memory'> {
  /** Attributes of all series, such as `job` and `instance`. @default none */
  readonly attributes?: Attributes | undefined;
  /**
   * Whether a label keeps its name that is also the key of one of `attributes`, in place of that attribute. Without it, the label gets
   * `exported_` before its name, as in Prometheus. @default false
   */
  readonly honorLabels?: boolean | undefined;
  /** Names of the families that count: `*` stands for any characters, `?` for one. @default all histograms */
  readonly metrics?: readonly string[] | undefined;
  /** The largest number of series of each family: an integer of at least 1. The overflow series takes all others. @default 10000 */
  readonly cardinalityLimit?: number | undefined;
  /** A series that has counted nothing for so long ends: in milliseconds, above 0. @default series do not end */
  readonly expireAfterMs?: number | undefined;
  /** How many histograms are remembered: an integer of at least 1. Further ones are refused. @default 100000 */
  readonly maxStreams?: number | undefined;
  /** Reads the time. @default the clock of the runtime */
  readonly clock?: Clock | undefined;
}

/** What one scrape has brought. */
export interface ScrapeReport {
  /** How many bytes the answer has, decompressed. */
  readonly bytes: number;
  /** How many histograms were taken. */
  readonly histograms: number;
  /** How many values were added, including those that a series rejects. */
  readonly values: number;
  /** How many histograms were refused, because they contradict themselves or a limit is reached. */
  readonly refused: number;
  /** The reasons for these refusals: a sentence for each, of the first ten. */
  readonly problems: readonly string[];
  /** Families and histograms whose form cannot be counted, such as summaries, with the reason. */
  readonly unsupported: readonly ScrapeRefusal[];
  /** How many families are no histograms. */
  readonly otherFamilies: number;
}

/** A target on its way into a registry. */
export interface PrometheusIngestion {
  /** A copy of the present state. */
  readonly health: IngestHealth;
  /** The memory for an ingestion of the same target that follows this one. */
  readonly memory: IngestMemory;
  /**
   * Asks the target, and adds what is new. A refused histogram does not affect the others, and its next state that is taken has all
   * its values. Calls while a scrape is under way share it.
   *
   * @throws The error of `fetch`. HdrscopeError `ERR_DECODE` or `ERR_TOO_LARGE` when the answer cannot be read: nothing is added then.
   */
  scrape(): Promise<ScrapeReport>;
  /** Ends the ingestion after the scrape that is under way. The counts stay. */
  close(): Promise<void>;
}

const MOST_PROBLEMS = 10;

const INGEST_PROMETHEUS = {
  name: 'ingestPrometheus',
  rules: {
    since: withDefault(oneOf<'beginning' | 'now'>(['beginning', 'now']), 'beginning'),
    dropAttributes: optional(dropAttributes),
    memory: optional(ingestMemory),
    attributes: withDefault(object(), {}),
    honorLabels: withDefault(flag, false),
    metrics: optional(listOf(text, 'texts')),
    cardinalityLimit: withDefault(integer({ from: 1 }), 10_000),
    expireAfterMs: optional(number({ above: 0, to: Number.POSITIVE_INFINITY })),
    maxStreams: withDefault(integer({ from: 1 }), 100_000),
    clock: withDefault(clock, systemClock),
  } satisfies OptionRules<IngestPrometheusOptions>,
  call: "ingestPrometheus(registry, () => fetchExposition({ url }), { attributes: { job: 'node' } })",
};

/**
 * Brings the histograms of a target of Prometheus into a registry, whenever `scrape` is called. Restarts are known by the start that the
 * target states, and by counts that fall. A histogram that an answer lacks keeps its counts. The work on an answer is cut into slices.
 *
 * @param fetch Asks the target: `fetchExposition`, or a function that reads a file.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 * @example
 * ```ts
 * import { ingestPrometheus } from '@hdrscope/prometheus/scraper';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const page = (upTo: number, all: number) => `# TYPE job_seconds histogram
 * job_seconds_bucket{le="0.5"} ${upTo}
 * job_seconds_bucket{le="+Inf"} ${all}
 * `;
 * const pages = [page(7, 9), page(8, 12)];
 * const fetch = async () => ({ bytes: new TextEncoder().encode(pages.shift()), format: 'text' as const });
 *
 * const registry = createRegistry();
 * const target = ingestPrometheus(registry, fetch, { attributes: { job: 'mail' } });
 * (await target.scrape()).values; //=> 9
 * (await target.scrape()).values; //=> 3
 * const [family] = (await registry.gather()).families;
 * [family!.unit, family!.series[0]!.histogram.totalCount]; //=> ['s', 12]
 * await target.close();
 * ```
 */
export function ingestPrometheus(
  registry: Registry,
  fetch: () => Promise<FetchedExposition>,
  options: IngestPrometheusOptions = {},
): PrometheusIngestion {
  assertRegistry(registry);
  assertFollows('fetch', callback<typeof fetch>(), fetch);
  const settings = readOptions(options, INGEST_PROMETHEUS);
  const { since, dropAttributes: drops, maxStreams, clock: time, metrics } = settings;
  const memory = settings.memory ?? new IngestMemory();
  const ingestion = ingest(
    registry,
    { name: 'prometheus' },
    // Several processes may answer under one address, each with a start of its own.
    { memory, dropAttributes: drops, maxStreams, clock: time, epochs: 'side by side' },
  );
  const chosen = metrics?.map((pattern) => wildcard(pattern));
  const isChosen = (name: string): boolean => chosen === undefined || chosen.some((one) => one.test(name));
  const maker = new ReadingMaker({ ...settings, memory });
  const layouts = new LayoutPool();
  const scrape = async (): Promise<ScrapeReport> => {
    const { bytes, format } = await fetch();
    const slices = new Slices();
    const scraped = await inSlices(expositionSteps(bytes, format, layouts), slices);
    const families = scraped.families.filter(({ name }) => isChosen(name));
    const refusals = scraped.refusals.filter(({ family }) => isChosen(family));
    const isBaseline = since === 'now' && !hasAnswered(memory);
    const { values: before } = ingestion.health;
    const take = isBaseline ? keep(memory, time, maxStreams) : ingestion.take;
    const taken = await inSlices(takeSteps({ ...scraped, families }, maker, take, time), slices);
    // A baseline counts as an answer only when all of it is kept.
    ingestion.take([]);
    const malformed = refusals.filter(({ reason }) => reason !== 'unsupported');
    const problems = [...malformed.map(describeRefusal), ...taken.refusals.map(reasonOf)];
    return {
      bytes: bytes.length,
      histograms: taken.histograms,
      values: ingestion.health.values - before,
      refused: problems.length,
      problems: problems.slice(0, MOST_PROBLEMS),
      unsupported: refusals.filter(({ reason }) => reason === 'unsupported'),
      otherFamilies: scraped.otherFamilies,
    };
  };
  let running: Promise<ScrapeReport> | undefined;
  return {
    get health() {
      return ingestion.health;
    },
    memory,
    scrape() {
      running ??= scrape().finally(() => {
        running = undefined;
      });
      return running;
    },
    async close() {
      await running?.catch(() => {});
      await ingestion.close();
    },
  };
}

type Take = Ingestion['take'];

/** Keeps readings as the ones that later readings are compared with. */
function keep(memory: IngestMemory, { monotonicMs }: Clock, maxStreams: number): Take {
  return (readings) => {
    for (const reading of readings)
      keepReading(memory, reading, monotonicMs(), { maxStreams, epochs: 'side by side' });
    return [];
  };
}

function* takeSteps(
  { families }: ScrapedHistograms,
  maker: ReadingMaker,
  take: Take,
  { nowMs }: Clock,
): Steps<{ readonly histograms: number; readonly refusals: readonly HdrscopeError[] }> {
  const refusals: HdrscopeError[] = [];
  let histograms = 0;
  for (const family of families) {
    for (const reading of maker.readings(family, nowMs())) {
      const [refusal] = take([reading]);
      if (refusal === undefined) histograms++;
      else refusals.push(refusal);
      yield;
    }
  }
  return { histograms, refusals };
}

function describeRefusal({ family, labels, problem }: ScrapeRefusal): string {
  const names = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${family}{${names.join()}} ${problem}`;
}
