import { HdrscopeError } from '@hdrscope/core';
import { causeOf } from '@hdrscope/kit/delivery';

/** Codes of what a history is refused for: its files, its table, and the engine that is asked. */
export type HistoryErrorCode = 'ERR_HISTORY_FILE' | 'ERR_HISTORY_TABLE' | 'ERR_HISTORY_ENGINE';

/** Makes the error of a failed operation on a file: `cannot write history/day=2026-11-22: ENOSPC: no space left on device`. */
export function fileError(operation: string, path: string, cause: unknown): HdrscopeError<HistoryErrorCode> {
  if (cause instanceof HdrscopeError && cause.code === 'ERR_HISTORY_FILE')
    return cause as HdrscopeError<HistoryErrorCode>;
  const message = `cannot ${operation} ${path}: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new HdrscopeError('ERR_HISTORY_FILE', message, { cause, details: { operation, path } });
}

/** Makes the error of an engine that is not there or refuses a statement. */
export function engineError(message: string, cause: unknown, sql?: string): HdrscopeError<HistoryErrorCode> {
  return new HdrscopeError('ERR_HISTORY_ENGINE', message, {
    cause,
    details: sql === undefined ? {} : { sql },
  });
}

/**
 * Makes the error of a table that does not take rows: `cannot write to history of ClickHouse at http://localhost:8123: connect
 * ECONNREFUSED`.
 *
 * @param cure What people can do, as the end of a sentence.
 */
export function tableError(table: string, cause: unknown, cure?: string): HdrscopeError<HistoryErrorCode> {
  if (cause instanceof HdrscopeError && cause.code === 'ERR_HISTORY_TABLE')
    return cause as HdrscopeError<HistoryErrorCode>;
  const message = `cannot write to ${table}: ${causeOf(cause).trim()}${cure === undefined ? '' : `; ${cure}`}`;
  return new HdrscopeError('ERR_HISTORY_TABLE', message, { cause, details: { table } });
}

/**
 * Loads an optional package.
 *
 * @param need What needs it, as the begin of a sentence.
 * @throws HdrscopeError `ERR_HISTORY_ENGINE` when it cannot be loaded.
 */
export async function loadPackage(
  load: () => Promise<unknown>,
  need: string,
  name: string,
): Promise<unknown> {
  try {
    return await load();
  } catch (cause) {
    const message = `${need} needs the package ${name}, which cannot be loaded: install it with "npm install ${name}"`;
    throw engineError(message, cause);
  }
}
