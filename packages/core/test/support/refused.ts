import { expectRefused, refusalOf } from '@hdrscope/testing/refusals';
import type { ErrorCode } from '../../src/errors.ts';
import type { Histogram } from '../../src/histogram/histogram.ts';
import { toHex } from './bytes.ts';
import { toRead } from './recorded.ts';

export { expectRefused, refusalOf };

/** Expects a refusal that changes nothing that can be read of the histogram. */
export function expectRefusedUnchanged(histogram: Histogram, action: () => unknown, code: ErrorCode): void {
  const before = stateOf(histogram);
  expectRefused(action, code);
  expect(stateOf(histogram)).toEqual(before);
}

/** Everything that can be read of a histogram. Equal histograms have equal states, whatever their storage. */
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
