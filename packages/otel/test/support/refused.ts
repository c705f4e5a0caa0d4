import { HdrscopeError } from '@hdrscope/core';

/** The `HdrscopeError` that `action` throws. Any other outcome fails the test. */
export function refusalOf(action: () => unknown): HdrscopeError {
  let outcome: unknown;
  try {
    outcome = action();
  } catch (error) {
    if (error instanceof HdrscopeError) return error;
    throw new Error(`must be refused with an HdrscopeError, threw ${error}`, { cause: error });
  }
  throw new Error(`must be refused, returned ${String(outcome)}`);
}
