import { HdrscopeError } from '@hdrscope/core';
import { visible } from '@hdrscope/core/internal';
import { reasonOf } from '@hdrscope/kit';

/**
 * Codes of this module's own errors:
 * - `ERR_OTLP`: a receiver of OTLP could not be reached, or did not take a request as a whole.
 */
export type OtlpErrorCode = 'ERR_OTLP';

const LONGEST_QUOTE = 300;

export function otlpError(message: string, cause?: unknown): HdrscopeError<OtlpErrorCode> {
  return new HdrscopeError('ERR_OTLP', message, cause === undefined ? {} : { cause });
}

/** Why a connection failed. A name with several addresses fails with an error for each. */
export function causeOf(error: unknown): string {
  const { errors } = error as { readonly errors?: unknown };
  return Array.isArray(errors) && errors.length > 0 ? errors.map(reasonOf).join('; ') : reasonOf(error);
}

/** A text of the receiver, as it can be shown: its first 300 characters, without control characters. */
export function quoted(text: string): string {
  const short = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
  return visible(short.trim());
}
