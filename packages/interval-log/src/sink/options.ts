import { constants } from 'node:os';
import type { HdrscopeError } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS, warn } from '@hdrscope/kit';
import type { Snapshot } from '@hdrscope/registry';
import { assertTimeZone } from '../writer/java-date.ts';

/** When data is forced to the disk: never, when a file is finished, or at every interval. */
export type FsyncPolicy = 'never' | 'rotation' | 'interval';

/** When a log is rotated, and what happens to rotated logs. */
export interface RotationOptions {
  /** Size limit of a file, an integer of at least 1: the file is rotated before it would exceed it. @default no limit */
  readonly sizeBytes?: number;
  /** Rotates at multiples of this on the wall clock, in UTC: 86_400_000 is midnight. At least 1. @default no rotation by time */
  readonly everyMs?: number;
  /**
   * Rotates when the process gets this signal, such as `SIGHUP`. The signal loses its default effect.
   *
   * @default no rotation by signal
   */
  readonly onSignal?: NodeJS.Signals;
  /** Number of rotated logs to keep, an integer of at least 0. Older ones are removed. @default all */
  readonly keep?: number;
  /** Whether rotated logs are compressed, in the background. @default false */
  readonly gzip?: boolean;
}

/** Options of `openIntervalLog`. */
export interface IntervalLogOptions {
  /** The file, in an existing directory. An existing interval log is continued. */
  readonly path: string;
  /** Time between two intervals, in milliseconds: from 1 to 2^31 - 1. @default 1000 */
  readonly intervalMs?: number;
  /** Whether intervals end at multiples of `intervalMs` on the wall clock, in UTC, as on other machines. @default false */
  readonly aligned?: boolean;
  /** When the log is rotated. @default only by calls of `rotate` */
  readonly rotation?: RotationOptions;
  /** When data is forced to the disk. @default 'rotation' */
  readonly fsync?: FsyncPolicy;
  /** How long a gather waits for sources, in milliseconds: above 0. @default `intervalMs`, at most 10 s */
  readonly gatherTimeoutMs?: number;
  /** How long `close` may take, in milliseconds: above 0. @default 10 s */
  readonly closeTimeoutMs?: number;
  /** Compression level of zlib, from 0 to 9. @default 6 */
  readonly level?: number;
  /** IANA name of the zone of printed dates, such as `Europe/Berlin`. @default the zone of the process */
  readonly timeZone?: string;
  /** A comment at the start of every file, such as the version of a service. @default no comment */
  readonly comment?: string;
  /** A snapshot whose counts the first interval leaves out. @default the first interval has every count of the registry */
  readonly since?: Snapshot;
  /** Called with each snapshot whose counts are in the log now: `since` of a sink that goes on after this one. @default not called */
  readonly onWritten?: (snapshot: Snapshot) => void;
  /** Called for the first of several failures in a row. @default a warning of the process */
  readonly onError?: (error: HdrscopeError) => void;
  /** Called when everything works again. @default not called */
  readonly onRecovery?: () => void;
}

/** Checked options, with their defaults. */
export interface IntervalLogSettings
  extends Required<Omit<IntervalLogOptions, 'timeZone' | 'since' | 'rotation'>> {
  readonly timeZone: string | undefined;
  readonly since: Snapshot | undefined;
  readonly rotation: RotationSettings;
}

export interface RotationSettings {
  readonly sizeBytes: number;
  readonly everyMs: number;
  readonly onSignal: NodeJS.Signals | undefined;
  readonly keep: number;
  readonly gzip: boolean;
}

const POLICIES: readonly FsyncPolicy[] = ['never', 'rotation', 'interval'];
// Signals that a process cannot handle.
const DEADLY = ['SIGKILL', 'SIGSTOP'];

const OWNER: OptionsOwner<IntervalLogOptions> = {
  name: 'openIntervalLog',
  names: {
    path: true,
    intervalMs: true,
    aligned: true,
    rotation: true,
    fsync: true,
    gatherTimeoutMs: true,
    closeTimeoutMs: true,
    level: true,
    timeZone: true,
    comment: true,
    since: true,
    onWritten: true,
    onError: true,
    onRecovery: true,
  },
  call: "openIntervalLog(registry, { path: 'service.hlog' })",
};

const ROTATION: OptionsOwner<RotationOptions> = {
  name: 'rotation',
  names: { sizeBytes: true, everyMs: true, onSignal: true, keep: true, gzip: true },
  call: "openIntervalLog(registry, { path: 'service.hlog', rotation: { keep: 7 } })",
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function settingsOf(options: IntervalLogOptions): IntervalLogSettings {
  assertOptions(options, OWNER);
  const { path, intervalMs = 1000, fsync = 'rotation', level = 6, timeZone, comment = '' } = options;
  if (typeof path !== 'string' || path === '') throw refused('path', 'the path of a file', path);
  assertTime('intervalMs', intervalMs, 1);
  const { gatherTimeoutMs = Math.min(intervalMs, 10_000), closeTimeoutMs = 10_000 } = options;
  assertTime('gatherTimeoutMs', gatherTimeoutMs, Number.MIN_VALUE);
  assertTime('closeTimeoutMs', closeTimeoutMs, Number.MIN_VALUE);
  if (!POLICIES.includes(fsync)) {
    throw refused('fsync', POLICIES.map((policy) => `'${policy}'`).join(', '), fsync);
  }
  if (!isInteger(level, 0) || level > 9) throw refused('level', 'an integer from 0 to 9', level);
  if (timeZone !== undefined) assertTimeZone(timeZone);
  return {
    path,
    intervalMs,
    aligned: options.aligned ?? false,
    rotation: rotationOf(options.rotation ?? {}),
    fsync,
    gatherTimeoutMs,
    closeTimeoutMs,
    level,
    timeZone,
    comment,
    since: options.since,
    onError: options.onError ?? warn,
    onRecovery: options.onRecovery ?? (() => {}),
    onWritten: options.onWritten ?? (() => {}),
  };
}

function rotationOf(options: RotationOptions): RotationSettings {
  assertOptions(options, ROTATION);
  const { sizeBytes = Number.POSITIVE_INFINITY, everyMs = Number.POSITIVE_INFINITY } = options;
  const { onSignal, keep = Number.POSITIVE_INFINITY, gzip = false } = options;
  if (!isInteger(sizeBytes, 1)) throw refused('rotation.sizeBytes', 'an integer of at least 1', sizeBytes);
  if (!(everyMs >= 1)) throw refused('rotation.everyMs', 'a number of at least 1', everyMs);
  if (!isInteger(keep, 0)) throw refused('rotation.keep', 'an integer of at least 0', keep);
  if (onSignal !== undefined && (!(onSignal in constants.signals) || DEADLY.includes(onSignal))) {
    throw refused('rotation.onSignal', 'a signal that can be handled, such as SIGHUP', onSignal);
  }
  return { sizeBytes, everyMs, onSignal, keep, gzip };
}

function assertTime(name: string, timeMs: number, atLeast: number): void {
  if (timeMs >= atLeast && timeMs <= LONGEST_TIMER_MS) return;
  const range = atLeast === 1 ? 'from 1' : 'above 0,';
  throw refused(name, `a number of milliseconds ${range} to 2^31 - 1`, timeMs);
}

/** Whether a value is a safe integer of at least `atLeast`, or infinite. */
function isInteger(value: number, atLeast: number): boolean {
  return (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY) && value >= atLeast;
}

function refused(name: string, allowed: string, got: unknown): HdrscopeError {
  return mustBe('ERR_INVALID_OPTION', name, allowed, got);
}
