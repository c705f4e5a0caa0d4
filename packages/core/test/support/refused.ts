import { expectRefused, refusalOf } from '@hdrscope/testing/refusals';
import type { ErrorCode } from '../../src/errors.ts';
import type { Histogram } from '../../src/histogram/histogram.ts';
import { toHex } from './bytes.ts';
import { toRead } from './recorded.ts';

export { expectRefused, refusalOf };

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
