import { HdrscopeError } from '@hdrscope/core';
import {
  exporterExp2Layout,
  exporterExp2ZeroLayout,
  exporterFixedLayout,
  exporterLinearLayout,
} from '../layout/exporter-layouts.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import type { KernelFamilyOptions } from '../readings.ts';
import type { KernelMapOptions } from '../source/kernel-map.ts';
import { labelFields } from './key-fields.ts';
import { YamlValue } from './yaml-value.ts';

/** A histogram in a configuration of ebpf_exporter. */
export interface ExporterHistogram {
  /** Name of the map and of the metric. */
  readonly name: string;
  /** Options for reading its map, except its place: `kernelMap({ path, ...map })`. */
  readonly map: Pick<KernelMapOptions, 'layout' | 'shape' | 'histogram'>;
  /** Options of its family: the value under its name in `families` of `kernelHistograms`. */
  readonly family: KernelFamilyOptions;
  /** Decoders that are not supported, each with its line. */
  readonly warnings: readonly string[];
}

const UNITS: readonly (readonly [suffix: string, unit: string])[] = [
  ['_seconds', 's'],
  ['_bytes', 'By'],
];

/**
 * Reads the histograms of an ebpf_exporter configuration: `metrics.histograms` with their buckets, and labels with the
 * decoders `uint`, `static_map`, `string` and `hex`. Other decoders are left out with a warning. Their labels stay
 * integers or texts, or else become bytes in hexadecimal. An integer without a name in a static map stays an integer too.
 *
 * @param text YAML.
 * @throws HdrscopeError `ERR_INVALID_OPTION`, with the line of the error, when the configuration is invalid.
 * @example
 * ```ts
 * import { fromEbpfExporterConfig } from '@hdrscope/ebpf';
 *
 * const [latency] = fromEbpfExporterConfig(`
 * metrics:
 *   histograms:
 *     - name: bio_latency_seconds
 *       help: Block IO latency
 *       bucket_type: exp2
 *       bucket_max: 26
 *       bucket_multiplier: 0.000001
 *       labels:
 *         - { name: operation, size: 8, decoders: [{ name: uint, }, { name: static_map, static_map: { 0: read, 1: write } }] }
 *         - { name: bucket, size: 8, decoders: [{ name: uint }] }
 * `);
 * latency!.map.layout.slots.upper(10); //=> 1024
 * latency!.map.shape!.key!.map(({ name, type, offset }) => `${name} ${type} ${offset}`);
 * //=> ['operation u64 0', 'bucket u64 8']
 * latency!.family.scale; //=> 0.000001
 * ```
 */
export function fromEbpfExporterConfig(text: string): ExporterHistogram[] {
  return YamlValue.parse(text).get('metrics').get('histograms').items().map(histogramOf);
}

function histogramOf(histogram: YamlValue): ExporterHistogram {
  const name = histogram.get('name').text();
  const labels = histogram.get('labels');
  const fields = labelFields(labels);
  const bucket = fields.at(-1);
  if (bucket === undefined) throw labels.mustBe('a list that ends with the bucket');
  if (!bucket.field.type.startsWith('u')) {
    throw labels.items().at(-1)!.mustBe('the bucket, as the last label, with the decoder uint');
  }
  const unit = UNITS.find(([suffix]) => name.endsWith(suffix))?.[1];
  const multiplier = histogram.get('bucket_multiplier');
  const scale = multiplier.number(1);
  if (!(scale > 0)) throw multiplier.mustBe('above 0');
  const help = histogram.get('help');
  return {
    name,
    map: {
      layout: layoutOf(histogram),
      // Its values are always single counters of 64 bits.
      shape: {
        key: fields.map(({ field }) => field),
        slot: bucket.field.name,
        counts: { type: 'u64' },
        sum: 'after-last',
      },
      histogram: name,
    },
    family: { description: help.isMissing ? '' : help.text(), scale, ...(unit && { unit }) },
    warnings: fields.flatMap(({ warnings }) => warnings),
  };
}

function layoutOf(histogram: YamlValue): KernelLayout {
  const type = histogram.get('bucket_type');
  const range = () => ({
    min: histogram.get('bucket_min').integer(0, 0),
    max: histogram.get('bucket_max').integer(1),
  });
  try {
    switch (type.text()) {
      case 'exp2':
        return exporterExp2Layout(range());
      case 'exp2zero':
        return exporterExp2ZeroLayout(range());
      case 'linear':
        return exporterLinearLayout(range());
      case 'fixed':
        return exporterFixedLayout(
          histogram
            .get('bucket_keys')
            .items()
            .map((key) => key.integer(0)),
        );
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError) || error.message.startsWith('line ')) throw error;
    throw new HdrscopeError(error.code, `line ${histogram.line}: bucket_${error.message}`, { cause: error });
  }
  throw type.mustBe('exp2, exp2zero, linear or fixed');
}
