import { constants } from 'node:os';
import type { HdrscopeError } from '@hdrscope/core';
import {
  callback,
  custom,
  filledText,
  flag,
  integer,
  milliseconds,
  number,
  type OptionRules,
  object,
  oneOf,
  optional,
  readOptions,
  type Settings,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { warn } from '@hdrscope/kit';
import type { Snapshot } from '@hdrscope/registry';
import { snapshot } from '@hdrscope/registry/internal';
import { limit } from '../reader/parser.ts';
import { knownZone, level } from '../writer/format.ts';

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

// Signals that a process cannot handle.
const DEADLY = ['SIGKILL', 'SIGSTOP'];

const ROTATION = {
  name: 'rotation',
  rules: {
    sizeBytes: withDefault(limit, Number.POSITIVE_INFINITY),
    everyMs: withDefault(number({ from: 1, to: Number.POSITIVE_INFINITY }), Number.POSITIVE_INFINITY),
    onSignal: optional(
      custom<NodeJS.Signals>(
        'a signal that can be handled, such as SIGHUP',
        (name) => Object.hasOwn(constants.signals, `${name}`) && !DEADLY.includes(`${name}`),
      ),
    ),
    keep: withDefault(integer({ from: 0, to: Number.POSITIVE_INFINITY }), Number.POSITIVE_INFINITY),
    gzip: withDefault(flag, false),
  } satisfies OptionRules<RotationOptions>,
  call: "openIntervalLog(registry, { path: 'service.hlog', rotation: { keep: 7 } })",
};

const TABLE = {
  name: 'openIntervalLog',
  rules: {
    path: filledText('the path of a file'),
    intervalMs: withDefault(milliseconds({ from: 1 }), 1000),
    aligned: withDefault(flag, false),
    rotation: withDefault(object(), {}),
    fsync: withDefault(oneOf<FsyncPolicy>(['never', 'rotation', 'interval']), 'rotation'),
    gatherTimeoutMs: optional(milliseconds()),
    closeTimeoutMs: withDefault(milliseconds(), 10_000),
    level: withDefault(level, 6),
    timeZone: optional(knownZone),
    comment: withDefault(text, ''),
    since: optional(snapshot),
    onWritten: withDefault(callback(), () => {}),
    onError: withDefault(callback(), warn),
    onRecovery: withDefault(callback(), () => {}),
  } satisfies OptionRules<IntervalLogOptions>,
  call: "openIntervalLog(registry, { path: 'service.hlog' })",
};

/** Checked options, with their defaults. */
export type IntervalLogSettings = Settings<Omit<IntervalLogOptions, 'rotation'>, 'timeZone' | 'since'> & {
  readonly rotation: RotationSettings;
};

export type RotationSettings = Settings<RotationOptions, 'onSignal'>;

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function readSettings(options: IntervalLogOptions): IntervalLogSettings {
  const { gatherTimeoutMs, rotation, ...settings } = readOptions(options, TABLE);
  return {
    ...settings,
    gatherTimeoutMs: gatherTimeoutMs ?? Math.min(settings.intervalMs, 10_000),
    rotation: readOptions(rotation, ROTATION, 'rotation.'),
  };
}
