import { constants } from 'node:os';
import { type HdrscopeError, mustBe } from '@hdrscope/core';
import type { Snapshot } from '@hdrscope/registry';
import { assertTimeZone } from '../writer/java-date.ts';
import { warn } from './health.ts';

/** What is forced to the disk: nothing, a file that is finished, or every interval. */
export type FsyncPolicy = 'never' | 'rotation' | 'interval';

/** When a log is finished and the next one begins, and what becomes of it. */
export interface RotationOptions {
  /** Before a file grows larger than this: an integer of at least 1. @default no limit */
  readonly sizeBytes?: number;
  /** At multiples of this on the wall clock, in UTC: 86_400_000 at midnight. At least 1. @default never */
  readonly everyMs?: number;
  /** When the process gets this signal, such as `SIGHUP`, whose other effect is lost. @default none */
  readonly signal?: NodeJS.Signals;
  /** How many rotated logs are kept, older ones are removed: an integer of at least 0. @default all */
  readonly keep?: number;
  /** Whether rotated logs are compressed, in the background. @default false */
  readonly gzip?: boolean;
}

/** How a registry is written to an interval log. */
export interface SinkOptions {
  /** The file, in a directory that exists. An interval log that is there already is continued. */
  readonly path: string;
  /** The time between two intervals, in milliseconds: from 1 to 2^31 - 1. @default 1000 */
  readonly intervalMs?: number;
  /** Whether intervals end at multiples of `intervalMs` on the wall clock, in UTC, as on other machines. @default false */
  readonly aligned?: boolean;
  /** @default none */
  readonly rotation?: RotationOptions;
  /** @default 'rotation' */
  readonly fsync?: FsyncPolicy;
  /** How long sources are waited for, in milliseconds: above 0. @default `intervalMs`, at most 10 s */
  readonly gatherTimeoutMs?: number;
  /** How long `close` may take, in milliseconds: above 0. @default 10 s */
  readonly closeTimeoutMs?: number;
  /** How much histograms are compressed, from 0 to 9. @default 6 */
  readonly level?: number;
  /** The IANA name of the zone in which dates are told, such as `Europe/Berlin`. @default that of the process */
  readonly timeZone?: string;
  /** What else is said at the start of every file, such as the version of a service. @default nothing */
  readonly comment?: string;
  /** A snapshot of the registry whose counts are left out. @default none: the first interval has all that was counted */
  readonly since?: Snapshot;
  /** Told when something begins to fail, not each time it fails again. @default a warning of the process */
  readonly onError?: (error: HdrscopeError) => void;
  /** Told when all works again. @default nobody */
  readonly onRecovery?: () => void;
}

/** Options that are filled in. */
export interface SinkSettings extends Required<Omit<SinkOptions, 'timeZone' | 'since' | 'rotation'>> {
  readonly timeZone: string | undefined;
  readonly since: Snapshot | undefined;
  readonly rotation: RotationSettings;
}

export interface RotationSettings {
  readonly sizeBytes: number;
  readonly everyMs: number;
  readonly signal: NodeJS.Signals | undefined;
  readonly keep: number;
  readonly gzip: boolean;
}

const LONGEST_MS = 2 ** 31 - 1;
const POLICIES: readonly FsyncPolicy[] = ['never', 'rotation', 'interval'];
// Nobody can handle those.
const DEADLY = ['SIGKILL', 'SIGSTOP'];

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function settingsOf(options: SinkOptions): SinkSettings {
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
  };
}

function rotationOf({
  sizeBytes = Number.POSITIVE_INFINITY,
  everyMs = Number.POSITIVE_INFINITY,
  signal,
  keep = Number.POSITIVE_INFINITY,
  gzip = false,
}: RotationOptions): RotationSettings {
  if (!isInteger(sizeBytes, 1)) throw refused('rotation.sizeBytes', 'an integer of at least 1', sizeBytes);
  if (!(everyMs >= 1)) throw refused('rotation.everyMs', 'a number of at least 1', everyMs);
  if (!isInteger(keep, 0)) throw refused('rotation.keep', 'an integer of at least 0', keep);
  if (signal !== undefined && (!(signal in constants.signals) || DEADLY.includes(signal))) {
    throw refused('rotation.signal', 'a signal that can be handled, such as SIGHUP', signal);
  }
  return { sizeBytes, everyMs, signal, keep, gzip };
}

function assertTime(name: string, timeMs: number, atLeast: number): void {
  if (timeMs >= atLeast && timeMs <= LONGEST_MS) return;
  const range = atLeast === 1 ? 'from 1' : 'above 0,';
  throw refused(name, `a number of milliseconds ${range} to 2^31 - 1`, timeMs);
}

/** Or infinite. */
function isInteger(value: number, atLeast: number): boolean {
  return (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY) && value >= atLeast;
}

function refused(name: string, allowed: string, got: unknown): HdrscopeError {
  return mustBe('ERR_INVALID_OPTION', name, allowed, got);
}
