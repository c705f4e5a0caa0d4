import {
  assertCounted,
  assertFollows,
  assertOptions,
  custom,
  integer,
  number,
  type OptionsOwner,
  object,
} from '@hdrscope/core/internal';
import { type Conversion, closeSketch, convertSketch, measureRange } from './conversion.ts';
import { DDSKETCH_WRITER, type DdsketchOptions, planDdsketch } from './ddsketch.ts';
import { type ExponentialTargetOptions, planExponential, targetElasticsearch } from './elasticsearch.ts';
import type { Sketch } from './sketch.ts';

/**
 * Writes the protobuf of a DDSketch, with an exact logarithm. All counts of a slot go to the slot of its middle.
 *
 * @returns The bytes as `content`, with the error of the conversion.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an argument is of another type, the accuracy is outside its range, or needs more than 65,536 slots; `ERR_INCOMPATIBLE`
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
  assertSketch('writeDdsketch', sketch);
  assertOptions(options, WRITE_DDSKETCH);
  const closed = closeSketch(sketch);
  return convertSketch(closed, planDdsketch(measureRange(closed.counted), options));
}

/**
 * Writes a value of Elasticsearch's field type `exponential_histogram`. Exponential buckets stay as they are, and of other counts all of a slot
 * go to the bucket of its middle.
 *
 * @returns The JSON as `content`, with the error of the conversion.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an argument is of another type, or `buckets` is outside its range; `ERR_INCOMPATIBLE` when values lie in a slot without a bound, and
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
  assertSketch('writeElasticsearch', sketch);
  assertOptions(options, WRITE_ELASTICSEARCH);
  const closed = closeSketch(sketch);
  return convertSketch(closed, targetElasticsearch(planExponential(closed.counted, options)));
}

function assertSketch(call: string, sketch: Sketch): void {
  assertFollows('the sketch', object<Sketch>(), sketch);
  assertCounted(call, sketch.counted);
  for (const name of ['sum', 'min', 'max'] as const) {
    if (sketch[name] !== undefined) assertFollows(`the sketch: ${name}`, FACT, sketch[name]);
  }
}

const FACT = /* @__PURE__ */ number();

const WRITE_DDSKETCH: OptionsOwner<DdsketchOptions> = {
  name: 'writeDdsketch',
  names: {
    writer: DDSKETCH_WRITER,
    relativeAccuracy: /* @__PURE__ */ custom(
      'a number above 0 and below 1',
      (share) => typeof share === 'number' && share > 0 && share < 1,
    ),
  },
  call: 'writeDdsketch(sketch, { relativeAccuracy: 0.005 })',
};

const WRITE_ELASTICSEARCH: OptionsOwner<ExponentialTargetOptions> = {
  name: 'writeElasticsearch',
  names: { buckets: /* @__PURE__ */ integer({ from: 2 }) },
  call: 'writeElasticsearch(sketch, { buckets: 320 })',
};
