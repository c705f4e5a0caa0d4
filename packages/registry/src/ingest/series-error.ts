import { HdrscopeError } from '@hdrscope/core';
import { canonicalText } from '../attributes.ts';
import type { ReadingRefusal } from './health.ts';
import type { Reading } from './reading.ts';

/** The error for a reading that cannot be taken: it names the series, and has as details what tells readings apart. */
export function seriesError(
  { key, family, attributes }: Pick<Reading, 'key' | 'family' | 'attributes'>,
  reason: ReadingRefusal,
  cause: unknown,
  { message: problem }: { readonly message: string } = cause as Error,
): HdrscopeError {
  const code = cause instanceof HdrscopeError ? cause.code : 'ERR_INCOMPATIBLE';
  const message = `the series ${canonicalText(attributes)} of "${family.name}": ${problem}`;
  return new HdrscopeError(code, message, {
    cause,
    details: { key, family: family.name, attributes, reason, problem },
  });
}
