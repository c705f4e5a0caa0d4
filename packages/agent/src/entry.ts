import type { ImportedHistogram } from '@hdrscope/ceph';
import type { ServerRefusals } from '@hdrscope/kit/server';
import type { NumberStates } from '@hdrscope/otel/receiver';
import type { IntakeOptions, Registry } from '@hdrscope/registry';
import type { AgentHealth, EntryDelivery, EntryStorage } from './health.ts';
import type { EntryMemory } from './memory.ts';
import type { StdinFeed } from './sources/stdin-feed.ts';

/** The surroundings that the agent gives to a source or a sink. */
export interface EntryContext {
  /** The agent's registry. A sink's view of it measures the time of each gather. */
  readonly registry: Registry;
  /**
   * The options of an ingested source: it has the name of this entry, reports to it, and goes on where an earlier run with
   * the same input ended.
   *
   * @param input The name of the input, such as the path of a socket.
   */
  intake(input: string): Required<Pick<IntakeOptions, 'sourceName' | 'memory' | 'observer'>>;
  /** State that earlier runs have left. */
  readonly memory: EntryMemory;
  /** The last histograms of Ceph's daemons, by the name of the source that reads them. */
  readonly perfHistograms: Map<string, () => readonly ImportedHistogram[]>;
  /** The last sums and gauges that receivers got, by the name of the source. */
  readonly numbers: Map<string, NumberStates>;
  readonly stdin: StdinFeed;
  /** Counts of refusals, for the server of the entry. */
  readonly refusals: ServerRefusals;
  readonly shutdownTimeoutMs: number;
  health(): AgentHealth;
  /** A text without the secrets of the configuration, as people may see it. */
  shown(text: string): string;
  nowMs(): number;
  info(line: string): void;
  /** Reports how many values were added, including those that a series rejects. */
  added(values: number): void;
  /** Reports how many more values a source could not measure. */
  missed(values: number): void;
  /** Reports what a sink has delivered so far. */
  delivered(delivery: EntryDelivery): void;
  /** Reports what a sink has stored so far. */
  stored(storage: EntryStorage): void;
  /** Reports a success. */
  succeeded(): void;
  /** Reports a failure after which the entry goes on by itself. */
  failed(error: unknown): void;
  /** Reports a failure that ends the entry: the agent stops it and starts it again later. */
  died(error: unknown): void;
}

/** A running source or sink. */
export interface Running {
  /** Logged at the start: `http://localhost:9464/metrics`. */
  readonly note?: string;
  /** Ends the entry. A sink sends what it still holds, and rejects when that fails. */
  stop(): Promise<void>;
}

/** Starts a source or a sink. When it rejects, it has released everything it opened. */
export type Start<Config> = (config: Config, context: EntryContext) => Promise<Running>;
