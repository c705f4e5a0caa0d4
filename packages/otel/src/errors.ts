import { HdrscopeError } from '@hdrscope/core';

/**
 * Codes of this module's own errors:
 * - `ERR_OTLP`: a receiver of OTLP could not be reached, or did not take a request as a whole.
 */
export type OtlpErrorCode = 'ERR_OTLP';

export function otlpError(message: string, cause?: unknown): HdrscopeError<OtlpErrorCode> {
  return new HdrscopeError('ERR_OTLP', message, cause === undefined ? {} : { cause });
}
