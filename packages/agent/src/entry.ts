import type { ImportedHistogram } from '@hdrscope/ceph';
import type { IntakeOptions, Registry } from '@hdrscope/registry';
import type { AgentHealth } from './health.ts';
import type { EntryMemory } from './memory.ts';
import type { StdinFeed } from './sources/stdin-feed.ts';

/** What a source or a sink knows of the agent that it works for. */
export interface EntryContext {
  /** The one registry. A sink's view of it measures how long gathering takes. */
  readonly registry: Registry;
  /**
   * Options of every source that is ingested: it has the name of this entry, reports to it, and goes on where an earlier life
   * ended that read the same.
   *
   * @param input Names what is read, such as a socket.
   */
  intake(input: string): Required<Pick<IntakeOptions, 'sourceName' | 'memory' | 'observer'>>;
  /** What earlier lives have left. */
  readonly memory: EntryMemory;
  /** What daemons of Ceph held when they were read last, by the names of the sources that read them now. */
  readonly perfHistograms: Map<string, () => readonly ImportedHistogram[]>;
  readonly stdin: StdinFeed;
  readonly shutdownTimeoutMs: number;
  health(): AgentHealth;
  nowMs(): number;
  info(line: string): void;
  /** So many values were added, those included that a series rejects. */
  added(values: number): void;
  /** Something went well. */
  succeeded(): void;
  /** Something went wrong, and the entry goes on by itself. */
  failed(error: unknown): void;
  /** It cannot go on: it is stopped, and started again after a while. */
  died(error: unknown): void;
}

/** A source or a sink that works. */
export interface Running {
  /** What it tells when it begins: `http://localhost:9464/metrics`. */
  readonly note?: string;
  /** Ends it; a sink hands on what it has not yet. Rejects when that fails. */
  stop(): Promise<void>;
}

/** Starts a source or a sink. Rejects when that fails: then nothing of it is left. */
export type Start<Config> = (config: Config, context: EntryContext) => Promise<Running>;
