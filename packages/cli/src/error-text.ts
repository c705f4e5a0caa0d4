import { HdrscopeError } from '@hdrscope/core';
import { type Io, Refusal, UsageError } from './command.ts';

/** The text of an error for a person. */
export function errorText(error: unknown, { environment }: Pick<Io, 'environment'>): string {
  if (environment.HDRSCOPE_DEBUG && error instanceof Error) return error.stack ?? error.message;
  if (!(error instanceof Error)) return String(error);
  const isExpected =
    [UsageError, Refusal, HdrscopeError].some((kind) => error instanceof kind) || 'syscall' in error;
  return isExpected
    ? withoutOption(error.message)
    : `${error.message}\nThis should not happen: with HDRSCOPE_DEBUG=1 it says where it did.`;
}

/** A cure of programs, an option of a function, is no cure for people at a command line. Another cure comes before it. */
function withoutOption(message: string): string {
  return message.replace(/,? or set max[A-Z][a-zA-Z]*$/, '');
}
