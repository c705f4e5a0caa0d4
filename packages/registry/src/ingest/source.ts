import type { CounterOptions, HdrscopeError } from '@hdrscope/core';
import type { Attributes } from '../attributes.ts';
import type { Clock } from '../clock.ts';
import type { IngestHealth } from './health.ts';
import type { IngestMemory, StreamLimits } from './memory.ts';
import type { Reading } from './reading.ts';

/** Something that counts, and can be read. A source only parses: its readings mean the same whatever source they are from. */
export interface ReadableSource {
  /** Names it in errors and snapshots. */
  readonly name: string;
  /**
   * Reads what has been counted until now. A source whose readings come by themselves leaves it out; they go to `take`.
   *
   * @throws Whatever is wrong. The snapshot names it, and the next gather reads again.
   */
  read?(): Iterable<Reading> | Promise<Iterable<Reading>>;
  /** Releases what reading has opened. `read` is not called after that. */
  close?(): void | Promise<void>;
}

/** Hears how a source is doing. Its functions must not throw. */
export interface SourceObserver {
  /** A read went well, or readings were taken. */
  succeeded?(): void;
  failed?(error: unknown): void;
  /** So many values were added, those included that a series rejects. */
  added?(values: number): void;
}

/** How a source is brought into a registry: the options that all sources have. */
export interface IntakeOptions {
  /** Names the source in errors and snapshots. @default the name that the source has itself */
  readonly sourceName?: string | undefined;
  /** Whether the first answer counts, with all that was counted before it, or only what comes after it. @default 'beginning' */
  readonly since?: 'beginning' | 'now' | undefined;
  /** How long a gather waits for a read, in milliseconds: see the registry's `SourceOptions`. @default no limit */
  readonly timeoutMs?: number | undefined;
  /** Added to the attributes of every reading, and taken before them. @default no attributes */
  readonly attributes?: Attributes | undefined;
  /** @default nobody observes it */
  readonly observer?: SourceObserver | undefined;
  /**
   * What an earlier ingestion of the same source remembered: reading goes on from there, so that nothing counts twice and
   * nothing is left out. @default nothing is remembered
   */
  readonly memory?: IngestMemory | undefined;
}

/** How a source counts: what its package knows, and users need not. */
export interface IngestOptions extends IntakeOptions, StreamLimits {
  /** What makes counts fall: see `CounterOptions` of `@hdrscope/core`. @default 'together' */
  readonly resets?: CounterOptions['resets'];
  /** Whether each answer has all there is: a key that it lacks is gone, and counts from 0 when it comes back. @default false */
  readonly isWhole?: boolean;
  /** @default the clock of the runtime */
  readonly clock?: Clock;
}

/** A source on its way into a registry. */
export interface Ingestion {
  readonly health: IngestHealth;
  /** What it remembers, for an ingestion of the same source that follows this one. */
  readonly memory: IngestMemory;
  /**
   * Adds what is new in readings. A refused one leaves the others alone, and counts with the next reading that is not refused.
   *
   * @returns The refusals: each has `details.key`, `details.family`, `details.attributes` and `details.reason`.
   */
  take(readings: Iterable<Reading>): HdrscopeError[];
  /** Ends it: the registry reads no more, and the source is closed. What was counted stays. */
  close(): Promise<void>;
}
