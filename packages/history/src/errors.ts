import { HdrscopeError } from '@hdrscope/core';

/** Codes of what a history is refused for: its files, and the engine that is asked. */
export type HistoryErrorCode = 'ERR_HISTORY_FILE' | 'ERR_HISTORY_ENGINE';

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
