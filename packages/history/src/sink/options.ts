import { hostname } from 'node:os';
import { HdrscopeError } from '@hdrscope/core';
import {
  assertOptions,
  callback,
  filledText,
  integer,
  milliseconds,
  mustBe,
  number,
  type OptionsOwner,
} from '@hdrscope/core/internal';
import { warn } from '@hdrscope/kit';
import type { Snapshot } from '@hdrscope/registry';
import { snapshot } from '@hdrscope/registry/internal';
import type { RemovedHistory, Retention } from '../retention/remove-days.ts';
import { DAY_MS } from '../times.ts';
import type { HistoryTarget } from './target.ts';

/** A table that a history can be written into. `clickHouseTable` and `postgresTable` make one. */
export interface HistoryTable {
  /** Names the table and its server, without passwords. */
  readonly name: string;
  /** Loads the client of the engine. It asks no server. `openHistory` calls it. */
  open(): Promise<HistoryTarget>;
}

/** Options of `openHistory`. There is either a folder or a table. */
export interface HistoryOptions {
  /** The folder. It is made if it does not exist; several processes may write to one folder. */
  readonly folder?: string;
  /** The table. Several processes may write to one table. */
  readonly table?: HistoryTable;
  /** The length of an interval in milliseconds, from 1 to 2^31 − 1: each series has a row for each interval. @default 60_000 */
  readonly intervalMs?: number;
  /**
   * How long rows wait for others of their file or insert, in milliseconds: at 0 they are written at each interval. In a folder, they wait in
   * small files, which `queryHistory` reads and which outlive the process. Rows for a table wait in memory, and die with it.
   * @default 3_600_000 for a folder, 0 for a table
   */
  readonly batchMs?: number;
  /** A file or an insert has so many rows at most, and is written as soon as so many wait: an integer of at least 1. @default 10_000 */
  readonly maxBatchRows?: number;
  /**
   * How much memory waiting rows may take while they cannot be written, in bytes: an integer of at least 1. The oldest rows beyond it
   * are lost, and count as `lostRows`. @default 64 MiB
   */
  readonly maxWaitingBytes?: number;
  /**
   * How long a folder keeps days, in milliseconds: at least a day. Days that ended longer ago are removed, at the first interval and then
   * once an hour, as `removeHistoryDays` does; a day that has to stay is an error. Tables have `ttlDays`. @default all days stay
   */
  readonly keepMs?: number;
  /** With `keepMs`: a folder that `rollUpHistory` writes from this one. A day stays while its rollup lacks rows of it. @default none */
  readonly rollup?: string;
  /** A readable name of who counts, such as that of a service, not empty. A random id follows it. @default the name of the host */
  readonly producer?: string;
  /** How long a gather waits for sources, in milliseconds: above 0. @default `intervalMs`, at most 10 s */
  readonly gatherTimeoutMs?: number;
  /** How long `close` may take, in milliseconds: above 0. @default 10_000 */
  readonly closeTimeoutMs?: number;
  /** A snapshot whose counts the first interval leaves out. @default the first interval has every count of the registry */
  readonly since?: Snapshot;
  /** Called each time when old days were looked for, with those that were removed and those that had to stay. @default not called */
  readonly onRemoved?: (done: RemovedHistory) => void;
  /** Called for the first of several failures in a row. @default a warning of the process */
  readonly onError?: (error: HdrscopeError) => void;
  /** Called when rows can be written again. @default not called */
  readonly onRecovery?: () => void;
  /**
   * Called after each interval, with the snapshot whose counts all have become rows. A history that goes on after this one takes it as
   * `since`. @default not called
   */
  readonly onCollected?: (collected: Snapshot) => void;
}

/** Checked options, with their defaults. */
export type HistorySettings = Required<
  Omit<HistoryOptions, 'since' | 'folder' | 'table' | 'keepMs' | 'rollup'>
> & {
  readonly place: { readonly folder: string } | { readonly table: HistoryTable };
  readonly since: Snapshot | undefined;
  /** What is removed; `undefined` when all days stay. */
  readonly retention: Retention | undefined;
};

const OWNER: OptionsOwner<HistoryOptions> = {
  name: 'openHistory',
  names: {
    folder: true,
    table: true,
    intervalMs: milliseconds({ from: 1 }),
    batchMs: milliseconds({ from: 0 }),
    maxBatchRows: integer({ from: 1 }),
    maxWaitingBytes: integer({ from: 1 }),
    keepMs: number({ from: DAY_MS, to: Number.POSITIVE_INFINITY }),
    rollup: filledText('the path of a folder'),
    producer: filledText(),
    gatherTimeoutMs: milliseconds(),
    closeTimeoutMs: milliseconds(),
    since: snapshot,
    onError: callback(),
    onRecovery: callback(),
    onRemoved: callback(),
    onCollected: callback(),
  },
  call: "openHistory(registry, { folder: 'history' })",
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function settingsOf(options: HistoryOptions): HistorySettings {
  assertOptions(options, OWNER);
  const place = placeOf(options);
  const { intervalMs = 60_000, batchMs = 'table' in place ? 0 : 3_600_000, maxBatchRows = 10_000 } = options;
  const { maxWaitingBytes = 2 ** 26, producer = hostname() || 'hdrscope', closeTimeoutMs = 10_000 } = options;
  const { gatherTimeoutMs = Math.min(intervalMs, 10_000) } = options;
  return {
    place,
    intervalMs,
    batchMs,
    maxBatchRows,
    maxWaitingBytes,
    producer,
    gatherTimeoutMs,
    closeTimeoutMs,
    since: options.since,
    retention: retentionOf(options),
    onError: options.onError ?? warn,
    onRecovery: options.onRecovery ?? (() => {}),
    onRemoved: options.onRemoved ?? (() => {}),
    onCollected: options.onCollected ?? (() => {}),
  };
}

function placeOf({ folder, table }: HistoryOptions): HistorySettings['place'] {
  if (table === undefined) {
    if (typeof folder === 'string' && folder !== '') return { folder };
    throw refused('folder', 'the path of a folder, unless there is a table', folder);
  }
  if (folder !== undefined) {
    throw new HdrscopeError('ERR_INVALID_OPTION', 'the rows go to a folder or to a table, got both');
  }
  if (typeof table?.open === 'function') return { table };
  throw refused('table', 'a table of clickHouseTable or postgresTable', table);
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
function retentionOf({ keepMs, rollup, table }: HistoryOptions): Retention | undefined {
  if (keepMs !== undefined && table !== undefined) {
    const message =
      'keepMs is for a folder: clickHouseTable has ttlDays, and PostgreSQL removes rows by a DELETE that you run';
    throw new HdrscopeError('ERR_INVALID_OPTION', message);
  }
  if (keepMs !== undefined) return { keepMs, ...(rollup !== undefined && { rollup }) };
  if (rollup === undefined) return undefined;
  throw new HdrscopeError(
    'ERR_INVALID_OPTION',
    'rollup goes with keepMs: it says what days wait for before they are removed',
  );
}

function refused(name: string, allowed: string, got: unknown): HdrscopeError {
  return mustBe('ERR_INVALID_OPTION', name, allowed, got);
}
