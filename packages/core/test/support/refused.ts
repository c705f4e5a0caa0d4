import { type ErrorCode, HdrscopeError } from '../../src/errors.ts';
import type { Histogram } from '../../src/histogram/histogram.ts';
import { toHex } from './bytes.ts';
import { toRead } from './recorded.ts';

/** The error with which `action` is refused. Any other outcome fails the test. */
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

export function expectRefused(action: () => unknown, code: ErrorCode): void {
  expect(refusalOf(action).code).toBe(code);
}

/** Refused, and nothing that can be read of the histogram has changed. */
export function expectRefusedUnchanged(histogram: Histogram, action: () => unknown, code: ErrorCode): void {
  const before = stateOf(histogram);
  expectRefused(action, code);
  expect(stateOf(histogram)).toEqual(before);
}

/** All that a histogram says about itself; equal for histograms that cannot be told apart, whatever their storage. */
export function stateOf(histogram: Histogram): object {
  const read = toRead(histogram);
  const { counts, totalCount, min, max, mean, standardDeviation } = read;
  return {
    encoding: toHex(read.encode()),
    slots: counts.length,
    first: counts.first,
    last: counts.last,
    totalCount,
    min,
    max,
    mean,
    standardDeviation,
    autoResize: histogram.autoResize,
  };
}
