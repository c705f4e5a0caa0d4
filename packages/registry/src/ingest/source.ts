import type { HdrscopeError } from '@hdrscope/core';
import type { CounterOptions } from '@hdrscope/core/internal';
import {
  custom,
  listOf,
  type OptionRule,
  object,
  observer,
  oneOf,
  optional,
  type RulesFor,
  type Settings,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { timeout } from '../asked-source.ts';
import type { Attributes } from '../attributes.ts';
import type { Clock } from '../clock.ts';
import type { IngestHealth } from './health.ts';
import { IngestMemory, type StreamLimits } from './memory.ts';
import type { Reading } from './reading.ts';

/** Something that counts and can be read. A source only parses: all sources yield the same readings. */
export interface ReadableSource {
  /** Names the source in errors and snapshots. */
  readonly name: string;
  /**
   * Reads all counts up to now. A source whose readings come by themselves leaves it out, and hands them to
   * `Ingestion.take`.
   *
   * @throws Anything. The snapshot names the source with the error, and the next gather reads again.
   */
  read?(): Iterable<Reading> | Promise<Iterable<Reading>>;
  /** Releases resources, after the last call of `read`. */
  close?(): void | Promise<void>;
}

/** Observes a source. Its functions must not throw. */
export interface SourceObserver {
  /** A read went well. */
  succeeded?(): void;
  /** A read failed. */
  failed?(error: unknown): void;
  /** So many values were added, including values that a series rejects. */
  added?(values: number): void;
}

/** The options that all sources have. */
export interface IntakeOptions {
  /** Names the source in errors and snapshots. @default the name of the source itself */
  readonly sourceName?: string | undefined;
  /**
   * Whether the counts of the first answer are added, or only those that come after it.
   * @default 'beginning', they are added
   */
  readonly since?: 'beginning' | 'now' | undefined;
  /** How long a read may take, in milliseconds: above 0. No gather waits longer, whatever time it states. @default no limit */
  readonly timeoutMs?: number | undefined;
  /**
   * Attributes of all series, in addition to those of the reading and in place of equal keys.
   * @default no attributes
   */
  readonly attributes?: Attributes | undefined;
  /**
   * Keys of attributes that series do not get, by the names of their families: `*` in a name stands for any characters, `?` for one.
   * Series that become equal are one, and have the counts of all of them, each exactly once. It applies to `attributes`, too.
   * @default no attribute is dropped
   */
  readonly dropAttributes?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Hears of each read. @default no observer */
  readonly observer?: SourceObserver | undefined;
  /**
   * The memory of an earlier ingestion of the same source. This ingestion goes on from there, so that no count is
   * added twice and none is left out.
   * @default an empty memory
   */
  readonly memory?: IngestMemory | undefined;
}

export const ingestMemory: OptionRule<IngestMemory> = custom(
  'the memory of another ingestion',
  (value) => value instanceof IngestMemory,
);

const keys = listOf(text, 'keys');

export const dropAttributes: OptionRule<Readonly<Record<string, readonly string[]>>> = custom(
  'an object with lists of keys by names of families',
  (value) => object().accepts(value) && Object.values(value).every((list) => keys.accepts(list)),
);

/** The rules of the options that all sources have. */
export const INTAKE_RULES: RulesFor<IntakeOptions, Exclude<keyof IntakeOptions, 'since'>> = {
  sourceName: optional(text),
  since: withDefault(oneOf<'beginning' | 'now'>(['beginning', 'now']), 'beginning'),
  timeoutMs: optional(timeout),
  attributes: optional(object()),
  dropAttributes: optional(dropAttributes),
  observer: optional(observer('succeeded', 'failed', 'added')),
  memory: optional(ingestMemory),
};

/** How a source counts: its package knows these options, and users need not. */
export interface IngestOptions extends IntakeOptions, StreamLimits {
  /** Which counts a reset sets to 0: see `CounterOptions` of `@hdrscope/core`. @default 'together' */
  readonly resets?: CounterOptions['resets'];
  /**
   * Whether each answer holds all keys: a missing key is forgotten, and counts from 0 when it comes back.
   * @default false
   */
  readonly isWhole?: boolean;
  /** The time by which streams are forgotten. @default the clock of the runtime */
  readonly clock?: Clock;
}

/** Checked options. */
export type IngestSettings = Settings<
  IngestOptions,
  Exclude<keyof IntakeOptions, 'since'> | keyof StreamLimits
>;

/** A source on its way into a registry. */
export interface Ingestion {
  /** A copy of the present state. */
  readonly health: IngestHealth;
  /** The memory for an ingestion of the same source that follows this one. */
  readonly memory: IngestMemory;
  /**
   * Adds the new values of readings. A refused reading does not affect the others. Nothing is lost by a refusal: the
   * next reading of its key that is taken has its counts too, when the counter is cumulative.
   *
   * @returns The refusals: each has `details.key`, `details.family`, `details.attributes`, `details.reason` (a
   *   `ReadingRefusal`) and `details.problem`.
   */
  take(readings: Iterable<Reading>): HdrscopeError[];
  /** Ends the ingestion: waits for a read that is under way, and closes the source. The counts stay. */
  close(): Promise<void>;
}
