import { type Conversion, closeSketch, convertSketch, measureRange } from './conversion.ts';
import { type DdsketchOptions, planDdsketch } from './ddsketch.ts';
import { type ExponentialTargetOptions, planExponential, targetElasticsearch } from './elasticsearch.ts';
import type { Sketch } from './sketch.ts';

/**
 * Writes the protobuf of a DDSketch, with an exact logarithm. All counts of a slot go to the slot of its middle.
 *
 * @returns The bytes as `content`, with the error of the conversion.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the accuracy is outside its range, or needs more than 65,536 slots; `ERR_INCOMPATIBLE`
 *   when values lie in a slot without a bound, and no extreme closes it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { readDdsketch, writeDdsketch } from '@hdrscope/inputs/sketches';
 *
 * const histogram = new Histogram();
 * histogram.record(1234, 5);
 * const { content, after } = writeDdsketch({ counted: histogram }, { writer: 'sketches-js', relativeAccuracy: 0.005 });
 * readDdsketch(content as Uint8Array, 'sketches-js').counted.counts.total; //=> 5
 * after.relative < 0.006; //=> true
 * ```
 */
export function writeDdsketch(sketch: Sketch, options: DdsketchOptions = {}): Conversion {
  const closed = closeSketch(sketch);
  return convertSketch(closed, planDdsketch(measureRange(closed.counted), options));
}

/**
 * Writes a value of Elasticsearch's field type `exponential_histogram`. Exponential buckets stay as they are, and of other counts all of a slot
 * go to the bucket of its middle.
 *
 * @returns The JSON as `content`, with the error of the conversion.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `buckets` is outside its range; `ERR_INCOMPATIBLE` when values lie in a slot without a bound, and
 *   no extreme closes it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { writeElasticsearch } from '@hdrscope/inputs/sketches';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1000, significantDigits: 1 });
 * histogram.record(8, 3);
 * writeElasticsearch({ counted: histogram, sum: 24 }, { buckets: 8 }).content;
 * //=> '{"scale":3,"sum":24,"positive":{"indices":[23],"counts":[3]}}\n'
 * ```
 */
export function writeElasticsearch(sketch: Sketch, options: ExponentialTargetOptions = {}): Conversion {
  const closed = closeSketch(sketch);
  return convertSketch(closed, targetElasticsearch(planExponential(closed.counted, options)));
}
