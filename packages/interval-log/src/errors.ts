import { HdrscopeError } from '@hdrscope/core';
import type { HdrscopeErrorOptions } from '@hdrscope/core/internal';

/** Codes of what logs are refused for: the format of a line, its times, and writing a file. */
export type LogErrorCode = 'ERR_LOG_FORMAT' | 'ERR_LOG_TIME' | 'ERR_LOG_WRITE';

/** Makes an error whose message and details name the line. */
export function lineError(
  code: 'ERR_LOG_FORMAT' | 'ERR_LOG_TIME',
  line: number,
  message: string,
  { details, ...options }: HdrscopeErrorOptions = {},
): HdrscopeError<LogErrorCode> {
  return new HdrscopeError(code, `line ${line}: ${message}`, { ...options, details: { line, ...details } });
}

/** Makes the error of a failed operation: `cannot write /var/log/app.hlog: ENOSPC: no space left on device, write`. */
export function writeError(operation: string, path: string, cause: unknown): HdrscopeError {
  if (cause instanceof HdrscopeError && cause.code === 'ERR_LOG_WRITE') return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `cannot ${operation} ${path}: ${reason}`;
  return new HdrscopeError<LogErrorCode>('ERR_LOG_WRITE', message, { cause, details: { operation, path } });
}
