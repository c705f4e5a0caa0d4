import { type BuildRequest, requestOf } from './build-request.ts';
import { engineFor } from './engine.ts';
import type { Histogram } from './histogram.ts';
import { jsHistogram } from './js-histogram.ts';
import { WasmHistogram } from './wasm-histogram.ts';

/**
 * Makes a histogram.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a part of the request is out of range; Error for `useWebAssembly` before
 *   `initWebAssembly`.
 * @example
 * ```ts
 * import { build } from '@hdrscope/hdr-histogram-js';
 *
 * const histogram = build({ numberOfSignificantValueDigits: 2 });
 * for (const value of [122, 123, 1244]) histogram.recordValue(value);
 * histogram.maxValue; //=> 1244
 * histogram.getValueAtPercentile(50); //=> 123
 * histogram.totalCount; //=> 3
 * ```
 */
export function build(request: BuildRequest = {}): Histogram {
  const full = requestOf(request);
  if (full.useWebAssembly) return WasmHistogram.build(full);
  return jsHistogram(engineFor(full), full.bitBucketSize);
}
