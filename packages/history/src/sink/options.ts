import { hostname } from 'node:os';
import type { HdrscopeError } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS, warn } from '@hdrscope/kit';
import type { Snapshot } from '@hdrscope/registry';

/** Options of `openHistory`. */
export interface HistoryOptions {
  /** The folder. It is made if it does not exist; several processes may write to one folder. */
  readonly folder: string;
  /** The length of an interval in milliseconds, from 1 to 2^31 − 1: each series has a row for each interval. @default 60_000 */
  readonly everyMs?: number;
  /**
   * How long rows wait in memory for others of their file, in milliseconds, above 0. A process that dies loses them.
   * @default 900_000
   */
  readonly rotateMs?: number;
  /** A file is written as soon as so many rows wait: an integer of at least 1. @default 10_000 */
  readonly maxRows?: number;
  /**
   * How much memory waiting rows may take while the disk takes no files, in bytes: an integer of at least 1. The oldest rows beyond it
   * are lost, and count as `lostRows`. @default 64 MiB
   */
  readonly maxWaitingBytes?: number;
  /** A readable name of who counts, such as that of a service, not empty. A random id follows it. @default the name of the host */
  readonly producer?: string;
  /** How long a gather waits for sources, in milliseconds: above 0. @default `everyMs`, at most 10 s */
  readonly gatherTimeoutMs?: number;
  /** How long `close` may take, in milliseconds: above 0. @default 10_000 */
  readonly closeTimeoutMs?: number;
  /** A snapshot whose counts the first interval leaves out. @default the first interval has every count of the registry */
  readonly since?: Snapshot;
  /** Called for the first of several failures in a row. @default a warning of the process */
  readonly onError?: (error: HdrscopeError) => void;
  /** Called when files can be written again. @default not called */
  readonly onRecovery?: () => void;
  /**
   * Called after each interval, with the snapshot whose counts all have become rows. A history that goes on after this one takes it as
   * `since`. @default not called
   */
  readonly onInterval?: (collected: Snapshot) => void;
}

/** Checked options, with their defaults. */
export type HistorySettings = Required<Omit<HistoryOptions, 'since'>> & {
  readonly since: Snapshot | undefined;
};

const OWNER: OptionsOwner<HistoryOptions> = {
  name: 'openHistory',
  names: {
    folder: true,
    everyMs: true,
    rotateMs: true,
    maxRows: true,
    maxWaitingBytes: true,
    producer: true,
    gatherTimeoutMs: true,
    closeTimeoutMs: true,
    since: true,
    onError: true,
    onRecovery: true,
    onInterval: true,
  },
  call: "openHistory(registry, { folder: 'history' })",
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function settingsOf(options: HistoryOptions): HistorySettings {
  assertOptions(options, OWNER);
  const { folder, everyMs = 60_000, rotateMs = 900_000, maxRows = 10_000 } = options;
  const { maxWaitingBytes = 2 ** 26, producer = hostname() || 'hdrscope', closeTimeoutMs = 10_000 } = options;
  assertText('folder', 'the path of a folder', folder);
  assertText('producer', 'a text, not empty', producer);
  if (!(everyMs >= 1 && everyMs <= LONGEST_TIMER_MS)) {
    throw refused('everyMs', 'a number of milliseconds from 1 to 2^31 - 1', everyMs);
  }
  const { gatherTimeoutMs = Math.min(everyMs, 10_000) } = options;
  assertTime('rotateMs', rotateMs);
  assertTime('gatherTimeoutMs', gatherTimeoutMs);
  assertTime('closeTimeoutMs', closeTimeoutMs);
  assertCount('maxRows', maxRows);
  assertCount('maxWaitingBytes', maxWaitingBytes);
  return {
    folder,
    everyMs,
    rotateMs,
    maxRows,
    maxWaitingBytes,
    producer,
    gatherTimeoutMs,
    closeTimeoutMs,
    since: options.since,
    onError: options.onError ?? warn,
    onRecovery: options.onRecovery ?? (() => {}),
    onInterval: options.onInterval ?? (() => {}),
  };
}

function assertText(name: string, allowed: string, text: unknown): void {
  if (typeof text !== 'string' || text === '') throw refused(name, allowed, text);
}

function assertTime(name: string, timeMs: number): void {
  if (timeMs > 0 && timeMs <= LONGEST_TIMER_MS) return;
  throw refused(name, 'a number of milliseconds above 0, to 2^31 - 1', timeMs);
}

function assertCount(name: string, count: number): void {
  if (Number.isSafeInteger(count) && count >= 1) return;
  throw refused(name, 'an integer of at least 1', count);
}

function refused(name: string, allowed: string, got: unknown): HdrscopeError {
  return mustBe('ERR_INVALID_OPTION', name, allowed, got);
}
