import { isDeepStrictEqual } from 'node:util';
import {
  callback,
  custom,
  milliseconds,
  type OptionRules,
  object,
  optional,
  readOptions,
  type Settings,
  withDefault,
} from '@hdrscope/core/internal';
import { reasonOf, within } from '@hdrscope/kit';
import { createRegistry, type Registry, systemClock } from '@hdrscope/registry';
import { describeReachedLimit, watchSeriesLimit } from '@hdrscope/registry/internal';
import { type AgentConfig, type CheckedConfig, type ConfigEntry, openConfig } from './config/agent-config.ts';
import { Mask } from './config/secrets.ts';
import { type AgentHealth, newTally, type Tally } from './health.ts';
import { type AgentLog, createLog } from './log.ts';
import { EntryMemory } from './memory.ts';
import { viewForSink, viewForSource } from './registry-views.ts';
import type { RetryOptions } from './retry.ts';
import { SINKS } from './sinks/index.ts';
import { SOURCES } from './sources/index.ts';
import { StdinFeed } from './stdin-feed.ts';
import { Supervised } from './supervised.ts';

/** The surroundings that the process gives to its agent. */
export interface AgentOptions {
  /** The input of a source of type `stdin`. @default an empty input */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Takes a line for each event. @default events are not logged */
  readonly log?: (line: string) => void;
  /** How soon an entry that could not start is started again. @default after 1 s, then 2 s, 4 s, up to a minute */
  readonly retry?: RetryOptions;
}

/** The changes of a reload, by the labels of the entries, such as `source osd.0`. */
export interface Reloaded {
  /** Entries that are new or have changed. */
  readonly started: readonly string[];
  /** Entries that are gone or have changed. */
  readonly stopped: readonly string[];
  /** Equal entries, which run on. */
  readonly kept: readonly string[];
  /** Why the configuration was refused; left out when it was applied. */
  readonly problem?: string;
}

/** A running agent. */
export interface Agent {
  /** Holds what all sources bring. */
  readonly registry: Registry;
  /** The state of all entries at this moment. */
  readonly health: AgentHealth;
  /**
   * Reads another configuration and applies it: equal entries keep running, others are stopped and started. The registry keeps all
   * its counts. When `read` fails, the configuration before goes on, and the agent counts and logs the problem. Reloads run one
   * after the other. Never rejects.
   *
   * @param read Such as `() => readConfigFile(path)`.
   */
  reload(read: () => AgentConfig | Promise<AgentConfig>): Promise<Reloaded>;
  /**
   * Reads all sources once more and stops them, then lets the sinks send what they still hold. Resolves with a line for
   * each entry that failed or exceeded `shutdownTimeout`: with an empty list when all is well. Never rejects; a second
   * call returns the same promise.
   */
  stop(): Promise<readonly string[]>;
}

/**
 * Starts the sources and sinks of a configuration. One that cannot start is tried again later, and the others go on, so
 * this never rejects.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, or when `config` was not parsed.
 * @example
 * ```ts
 * import { parseConfig, startAgent } from '@hdrscope/agent';
 *
 * const { config } = parseConfig(`
 * sources: [{ type: stdin, metric: { name: job.duration, unit: ms } }]
 * sinks: [{ type: prometheus, listen: 'localhost:0' }]
 * `);
 * const stdin = (async function* () {
 *   yield new TextEncoder().encode('12 7.5\n300\n');
 * })();
 * const agent = await startAgent(config!, { stdin });
 *
 * await agent.registry.gather();
 * agent.health.entries.map(({ name, state, values }) => [name, state, values]);
 * //=> [['stdin', 'running', 3], ['prometheus', 'running', 0]]
 * await agent.stop(); //=> []
 * ```
 */
export async function startAgent(config: AgentConfig, options: AgentOptions = {}): Promise<Agent> {
  const given = readOptions(options, START_AGENT);
  const settings = { ...given, retry: readOptions(given.retry, RETRY, 'retry.') };
  const agent = new RunningAgent(openConfig(config), settings);
  await agent.start();
  return agent;
}

const RETRY = {
  name: 'retry',
  rules: {
    firstMs: withDefault(milliseconds(), 1000),
    longestMs: withDefault(milliseconds(), 60_000),
  } satisfies OptionRules<RetryOptions>,
  call: 'startAgent(config, { retry: { firstMs: 1000 } })',
};

const START_AGENT = {
  name: 'startAgent',
  rules: {
    stdin: optional(
      custom<AsyncIterable<Uint8Array>>(
        'an async iterable of bytes',
        (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
      ),
    ),
    log: withDefault(callback(), () => {}),
    retry: withDefault(object(), {}),
  } satisfies OptionRules<AgentOptions>,
  call: 'startAgent(config, { log: console.error })',
};

type AgentSettings = Settings<Omit<AgentOptions, 'retry'>, 'stdin'> & {
  readonly retry: Required<RetryOptions>;
};

class RunningAgent implements Agent {
  readonly registry: Registry = createRegistry();
  readonly #mask = new Mask();
  readonly #log: AgentLog;
  readonly #retry: Required<RetryOptions>;
  readonly #stdin: StdinFeed;
  readonly #memory = new EntryMemory();
  /** By the label of its entry. A tally outlives restarts and changes of its entry: otherwise its counters would fall. */
  readonly #tallies = new Map<string, Tally>();
  readonly #reloads = { applied: 0, refused: 0 };
  readonly #startedMs: number = systemClock.nowMs();
  #config: CheckedConfig;
  #entries: Supervised[] = [];
  #work: Promise<unknown> = Promise.resolve();
  /** Apart from `#work`: a file that never ends must not hold up the stop. */
  #reading: Promise<unknown> = Promise.resolve();
  #stopping: Promise<readonly string[]> | undefined;

  constructor(config: CheckedConfig, { stdin = emptyInput(), log, retry }: AgentSettings) {
    this.#config = config;
    this.#mask.add(config);
    this.#stdin = new StdinFeed(stdin);
    this.#log = createLog((line) => log(this.#mask.shown(line)), systemClock.monotonicMs);
    watchSeriesLimit(this.registry, (reached) =>
      this.#log.info(
        describeReachedLimit(
          reached,
          'leave it out by dropAttributes of the source, or where the values come from',
        ),
      ),
    );
    this.#retry = retry;
  }

  async start(): Promise<void> {
    this.#entries = listEntries(this.#config).map((entry) => this.#supervise(entry));
    await this.#startAll(this.#entries);
  }

  get health(): AgentHealth {
    const entries = this.#entries.map(({ label }) => {
      const tally = this.#tallies.get(label)!;
      return { ...tally, refusals: { ...tally.refusals } };
    });
    return { startedMs: this.#startedMs, reloads: { ...this.#reloads }, entries };
  }

  async reload(read: () => AgentConfig | Promise<AgentConfig>): Promise<Reloaded> {
    const reading = this.#reading.then(read).then(openConfig);
    this.#reading = reading.catch(() => {});
    let config: CheckedConfig;
    try {
      config = await reading;
    } catch (error) {
      return this.#refuse(error);
    }
    const work = this.#work.then(() => this.#apply(config));
    this.#work = work;
    return work;
  }

  stop(): Promise<readonly string[]> {
    this.#stopping ??= this.#work.then(() => this.#stopAll());
    return this.#stopping;
  }

  #refuse(error: unknown): Reloaded {
    this.#reloads.refused++;
    const problem = describeProblems(error);
    this.#log.info(`the configuration is refused, the one before goes on: ${problem}`);
    return { started: [], stopped: [], kept: labels(this.#entries), problem: this.#mask.shown(problem) };
  }

  async #apply(config: CheckedConfig): Promise<Reloaded> {
    if (this.#stopping !== undefined) return { started: [], stopped: [], kept: [] };
    const wanted = listEntries(config);
    const isKept = ({ label, config: before }: Supervised): boolean =>
      wanted.some((entry) => entry.label === label && isDeepStrictEqual(entry.config, before));
    const kept = this.#entries.filter(isKept);
    const gone = this.#entries.filter((entry) => !isKept(entry));
    // Takes what the old entries know by now. They bring nothing afterwards.
    if (gone.some(({ label }) => label.startsWith('source'))) await this.#gather(config.shutdownTimeout / 2);
    // Stops before others start, which may need the same port.
    await this.#endAll(gone, config.shutdownTimeout);
    const before = new Map(kept.map((entry) => [entry.label, entry]));
    this.#config = config;
    this.#mask.add(config);
    this.#entries = wanted.map((entry) => before.get(entry.label) ?? this.#supervise(entry));
    for (const { label } of gone) {
      if (!wanted.some((entry) => entry.label === label)) this.#tallies.delete(label);
    }
    const fresh = this.#entries.filter((entry) => !kept.includes(entry));
    await this.#startAll(fresh);
    this.#reloads.applied++;
    const reloaded = { started: labels(fresh), stopped: labels(gone), kept: labels(kept) };
    this.#log.info(
      `the configuration is read again: ${fresh.length} started, ${gone.length} stopped, ${kept.length} kept`,
    );
    return reloaded;
  }

  async #stopAll(): Promise<readonly string[]> {
    const { shutdownTimeout } = this.#config;
    const sources = this.#entries.filter(({ label }) => label.startsWith('source'));
    const sinks = this.#entries.filter(({ label }) => label.startsWith('sink'));
    const endMs = performance.now() + shutdownTimeout;
    const left = (): number => Math.max(1, endMs - performance.now());
    await this.#gather(left() / 3);
    const problems = [...(await this.#endAll(sources, left() / 2)), ...(await this.#endAll(sinks, left()))];
    this.#log.info(problems.length === 0 ? 'all has ended well' : 'not all has ended well');
    return problems;
  }

  /** Returns a line for each entry that failed or took too long. */
  async #endAll(entries: readonly Supervised[], timeoutMs: number): Promise<string[]> {
    const problems = await Promise.all(
      entries.map(async (entry) => {
        try {
          await within(entry.stop(), timeoutMs, { unref: false });
          return undefined;
        } catch (error) {
          const problem = this.#mask.shown(`${entry.label} did not end well: ${reasonOf(error)}`);
          this.#log.info(problem);
          return problem;
        }
      }),
    );
    return problems.filter((problem) => problem !== undefined);
  }

  #gather(timeoutMs: number): Promise<unknown> {
    return this.registry.gather({ timeoutMs: Math.max(1, timeoutMs) });
  }

  async #startAll(entries: readonly Supervised[]): Promise<void> {
    await Promise.all(entries.map((entry) => entry.start()));
  }

  #supervise({ kind, label, config }: Entry): Supervised {
    const shown = (text: string): string => this.#mask.shown(text);
    const registry =
      kind === 'source'
        ? viewForSource(this.registry, shown)
        : viewForSink(this.registry, {
            sink: config.name,
            sourceIsLate: (source, error) => this.#isLate(source, error),
          });
    const part = (kind === 'source' ? SOURCES : SINKS).get(config.type)!;
    return new Supervised({
      config,
      start: (context) => part.start(config, context),
      tally: this.#tallyFor(label, kind, config),
      log: this.#log,
      retry: this.#retry,
      memory: this.#memory,
      surroundings: {
        registry,
        stdin: this.#stdin,
        shutdownTimeoutMs: this.#config.shutdownTimeout,
        health: () => this.health,
        mapsOfOthers: () => this.#mapsBesides(label),
        shown,
        nowMs: systemClock.nowMs,
      },
    });
  }

  async #mapsBesides(label: string): Promise<ReadonlyMap<number, string>> {
    const others = this.#entries.filter((entry) => entry.label !== label);
    const found = await Promise.all(
      others.map(async (entry) => (await entry.kernelMaps()).map((id) => [id, entry.config.name] as const)),
    );
    return new Map(found.flat());
  }

  #tallyFor(label: string, kind: Entry['kind'], { name, type }: ConfigEntry): Tally {
    const tally = this.#tallies.get(label) ?? newTally(kind, name, type);
    Object.assign(tally, { type, state: 'starting' });
    this.#tallies.set(label, tally);
    return tally;
  }

  #isLate(source: string, error: unknown): void {
    const label = `source ${source}`;
    const tally = this.#tallies.get(label);
    if (tally === undefined) return;
    const lastError = this.#mask.shown(reasonOf(error));
    Object.assign(tally, { state: 'failing', errors: tally.errors + 1, lastError });
    this.#log.problem(label, `${label} has failed: ${lastError}`);
  }
}

interface Entry {
  readonly kind: 'source' | 'sink';
  readonly label: string;
  readonly config: ConfigEntry;
}

function listEntries({ sources, sinks }: CheckedConfig): Entry[] {
  const of = (kind: Entry['kind'], list: readonly ConfigEntry[]): Entry[] =>
    list.map((config) => ({ kind, label: `${kind} ${config.name}`, config }));
  return [...of('source', sources), ...of('sink', sinks)];
}

function labels(entries: readonly Supervised[]): string[] {
  return entries.map(({ label }) => label);
}

/** The problems of a configuration as one line; the error has a line for each. */
function describeProblems(error: unknown): string {
  if (!(error instanceof Error)) return reasonOf(error);
  const lines = error.message.split('\n').map((line) => line.trim());
  return lines.join('; ');
}

async function* emptyInput(): AsyncGenerator<Uint8Array, void> {}
