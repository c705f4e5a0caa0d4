import { HdrscopeError } from '@hdrscope/core';
import { type Io, Refusal, UsageError } from './command.ts';
import { systemErrorText } from './system-error.ts';

/** The text of an error for a person. */
export function errorText(error: unknown, { environment }: Pick<Io, 'environment'>): string {
  if (environment.HDRSCOPE_DEBUG && error instanceof Error) return error.stack ?? error.message;
  // Errors of the system may come from another realm.
  if (typeof error === 'object' && error !== null && 'syscall' in error) return systemErrorText(error);
  if (!(error instanceof Error)) return String(error);
  const isExpected = [UsageError, Refusal, HdrscopeError].some((kind) => error instanceof kind);
  return isExpected
    ? withoutOption(error.message)
    : `${error.message}\nThis should not happen: with HDRSCOPE_DEBUG=1 it says where it did.`;
}

/** A cure of programs, an option of a function, is no cure for people at a command line. Another cure comes before it. */
function withoutOption(message: string): string {
  return message.replace(/,? or set max[A-Z][a-zA-Z]*$/, '');
}
