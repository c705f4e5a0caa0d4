import { mustBe } from '@hdrscope/core/internal';
import { EngineHistogram } from './engine-histogram.ts';
import type { BitBucketSize, Histogram } from './histogram.ts';
import { JsHistogram } from './js-histogram.ts';
import { WasmHistogram } from './wasm-histogram.ts';

/**
 * Decodes a histogram of any HdrHistogram, in versions 0 to 2.
 *
 * @param base64String White space around it is ignored.
 * @param bitBucketSize See `BitBucketSize`. 32 when left out.
 * @param useWebAssembly Whether to make a `WasmHistogram`.
 * @param minBarForHighestTrackableValue The range reaches to this value at least.
 * @throws HdrscopeError `ERR_DECODE` when the text is no encoding.
 * @example
 * ```ts
 * import { decodeFromCompressedBase64 } from '@hdrscope/hdr-histogram-js';
 *
 * const histogram = decodeFromCompressedBase64('HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AMIKZAEARAtM=');
 * histogram.maxValue; //=> 42
 * ```
 */
export function decodeFromCompressedBase64(
  base64String: string,
  bitBucketSize: BitBucketSize = 32,
  useWebAssembly = false,
  minBarForHighestTrackableValue = 0,
): Histogram {
  if (useWebAssembly)
    return WasmHistogram.decode(base64String, bitBucketSize, minBarForHighestTrackableValue);
  return JsHistogram.decode(base64String, bitBucketSize, minBarForHighestTrackableValue);
}

/**
 * Encodes a histogram (V2, compressed, in Base64).
 *
 * @param compressionLevel A level of zlib, from 1 to 9. 6 when left out.
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when it is not a histogram of this package, `ERR_INVALID_OPTION` when the level is
 *   out of range.
 */
export function encodeIntoCompressedBase64(histogram: Histogram, compressionLevel?: number): string {
  if (histogram instanceof EngineHistogram) return histogram.encodeIntoCompressedBase64(compressionLevel);
  throw mustBe('ERR_INCOMPATIBLE', 'histogram', 'a histogram of this package', histogram);
}
