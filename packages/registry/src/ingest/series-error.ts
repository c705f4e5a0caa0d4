import { HdrscopeError } from '@hdrscope/core';
import { canonicalText } from '../attributes.ts';
import type { ReadingRefusal } from './health.ts';
import type { Reading } from './reading.ts';

/**
 * The error for a reading that cannot be taken. Its message names the series, and its details are `key`, `family`,
 * `attributes`, `reason` and `problem`, which is the message of the cause.
 */
export function seriesError(
  { key, family, attributes }: Pick<Reading, 'key' | 'family' | 'attributes'>,
  reason: ReadingRefusal,
  cause: unknown,
): HdrscopeError {
  const code = cause instanceof HdrscopeError ? cause.code : 'ERR_INCOMPATIBLE';
  const problem = cause instanceof Error ? cause.message : String(cause);
  const message = `the series ${canonicalText(attributes)} of "${family.name}": ${problem}`;
  return new HdrscopeError(code, message, {
    cause,
    details: { key, family: family.name, attributes, reason, problem },
  });
}
