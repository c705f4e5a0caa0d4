import { visible } from '@hdrscope/core/internal';
import { reasonOf } from '@hdrscope/kit';

const LONGEST_QUOTE = 300;

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

/**
 * Whether a message is about times of the future: Prometheus ("timestamp is too far in the future") and databases that are built on it
 * say so. Thanos uses the same words for times that are too old.
 */
export function isAboutFuture(message: string): boolean {
  return /\bfuture\b|timestamp too new/i.test(message);
}
