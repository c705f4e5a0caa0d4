import { open } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  filledText,
  type OptionRules,
  readOptions,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { reasonOf } from '@hdrscope/kit';
import type { KernelFamilyOptions } from '../families.ts';
import {
  type ExporterKeyRange,
  exporterExp2Layout,
  exporterExp2ZeroLayout,
  exporterFixedLayout,
  exporterLinearLayout,
} from '../layout/exporter-layouts.ts';
import { explicitKernelLayout, type KernelLayout } from '../layout/kernel-layout.ts';
import type { KernelMapOptions } from '../source/kernel-map.ts';
import type { KernelSource } from '../source/source.ts';
import { decodedSource } from './decoded-source.ts';
import { readLabels } from './labels.ts';
import { SystemNames } from './system-names.ts';
import { LARGEST_CONFIG, YamlValue } from './yaml-value.ts';

/** A histogram in a configuration of ebpf_exporter. */
export interface ExporterHistogram {
  /** Name of its map. */
  readonly name: string;
  /** Options for reading its map, except its place: `kernelMap({ path, ...map })`. */
  readonly map: Pick<KernelMapOptions, 'shape' | 'histogram'> & { readonly layout: KernelLayout };
  /** Options of its family: the name that ebpf_exporter gives it, the description, and the unit and its scale. */
  readonly family: KernelFamilyOptions;
  /**
   * Decodes what a source with the options of `map` reads: the labels become the texts that ebpf_exporter shows, and keys
   * that `regexp` leaves out are missing. Names of devices, interfaces, control groups and symbols are those of this
   * machine; they are looked up for new keys only.
   *
   * The sum is `undefined` in maps that keep none. `read` throws `ERR_KERNEL` when the counts do not allow the sum, because
   * the program counts values beyond the last bucket, and when names cannot be read.
   */
  readonly decode: (source: KernelSource) => KernelSource;
}

/** Options of `parseEbpfExporterConfig`. */
export interface ExporterConfigOptions {
  /** What the names of families begin with. @default 'ebpf_exporter_', as on the page of ebpf_exporter */
  readonly prefix?: string;
}

const UNITS: readonly (readonly [suffix: string, unit: string])[] = [
  ['_seconds', 's'],
  ['_bytes', 'By'],
];

const MOST_HISTOGRAMS = 256;

/**
 * Reads the histograms of an ebpf_exporter configuration: `metrics.histograms` with their buckets, and labels with the
 * decoders `uint`, `string`, `hex`, `static_map`, `regexp`, `cgroup`, `majorminor`, `ifname`, `inet_ip`, `dname`, `errno`,
 * `ksym` and `kstack`. A label of `uint` alone is an integer, and other labels are texts.
 *
 * @param text YAML.
 * @throws HdrscopeError `ERR_INVALID_OPTION`, with the line of the error, when the configuration is invalid or has another
 *   decoder; `ERR_TOO_LARGE` when it is larger than any configuration.
 * @example
 * ```ts
 * import { parseEbpfExporterConfig } from '@hdrscope/ebpf';
 *
 * const [latency] = parseEbpfExporterConfig(`
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
 * [latency!.family.name, latency!.family.scale]; //=> ['ebpf_exporter_bio_latency_seconds', 0.000001]
 * ```
 */
export function parseEbpfExporterConfig(
  text: string,
  options: ExporterConfigOptions = {},
): ExporterHistogram[] {
  const { prefix } = readOptions(options, EXPORTER_CONFIG);
  const list = YamlValue.parse(text).get('metrics').get('histograms');
  const histograms = list.items();
  if (histograms.length > MOST_HISTOGRAMS) throw list.mustBe(`a list of at most ${MOST_HISTOGRAMS}`);
  const system = new SystemNames();
  return histograms.map((histogram) => histogramOf(histogram, prefix, system));
}

const EXPORTER_CONFIG = {
  name: 'parseEbpfExporterConfig',
  rules: { prefix: withDefault(text, 'ebpf_exporter_') } satisfies OptionRules<ExporterConfigOptions>,
  call: "parseEbpfExporterConfig(text, { prefix: '' })",
};

function histogramOf(histogram: YamlValue, prefix: string, names: SystemNames): ExporterHistogram {
  const name = histogram.get('name').text();
  const list = histogram.get('labels');
  const { labels, keySize } = readLabels(list);
  const bucket = labels.at(-1);
  if (bucket === undefined) throw list.mustBe('a list that ends with the bucket');
  if (!bucket.isInteger) {
    throw list.items().at(-1)!.mustBe('the bucket, as the last label, with the only decoder uint');
  }
  const unit = UNITS.find(([suffix]) => name.endsWith(suffix))?.[1];
  const { layout, scale, sumUnit } = bucketsOf(histogram);
  const help = histogram.get('help');
  const decoding = { labels: labels.slice(0, -1), names };
  return {
    name,
    map: {
      layout,
      // Its values are always single counters of 64 bits.
      shape: {
        key: labels.map(({ field }) => field),
        slot: bucket.field.name,
        counts: { type: 'u64' },
        sum: 'after-last',
        sumUnit,
        keySize,
        valueSize: 8,
      },
      histogram: name,
    },
    family: {
      name: `${prefix}${name}`,
      ...(!help.isMissing && { description: help.text() }),
      scale,
      ...(unit && { unit }),
    },
    decode: (source) => decodedSource(source, decoding),
  };
}

/** Slots of a histogram, the size of one of their units in units of the metric, and the size of one unit of the sum in theirs. */
interface Buckets {
  readonly layout: KernelLayout;
  readonly scale: number;
  readonly sumUnit: number;
}

function bucketsOf(histogram: YamlValue): Buckets {
  const multiplier = histogram.get('bucket_multiplier');
  const scale = multiplier.number(1);
  if (!(scale > 0)) throw multiplier.mustBe('above 0');
  const type = histogram.get('bucket_type');
  const range = () => ({
    min: histogram.get('bucket_min').integer(0, 0),
    max: histogram.get('bucket_max').integer(1),
  });
  try {
    switch (type.text()) {
      case 'exp2':
        return { layout: exporterExp2Layout(range()), scale, sumUnit: 1 };
      case 'exp2zero':
        return { layout: exporterExp2ZeroLayout(range()), scale, sumUnit: 1 };
      case 'linear':
        return linearBuckets(range(), scale);
      case 'fixed': {
        const keys = histogram.get('bucket_keys').items();
        return { layout: exporterFixedLayout(keys.map((key) => key.integer(0))), scale, sumUnit: 1 };
      }
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError) || error.message.startsWith('line ')) throw error;
    throw new HdrscopeError(error.code, `line ${histogram.line}: bucket_${error.message}`, { cause: error });
  }
  throw type.mustBe('exp2, exp2zero, linear or fixed');
}

/** So many units make a step that is a fraction, so that there are values between its bounds. */
const PARTS = 1000;

/** The program has divided values by the multiplier, and rounded down. */
function linearBuckets(range: Required<ExporterKeyRange>, multiplier: number): Buckets {
  // Both are integers, so a slot ends at the integer before the next one.
  if (Number.isSafeInteger(multiplier)) {
    return {
      layout: exporterLinearLayout({ ...range, step: multiplier }),
      scale: 1,
      sumUnit: multiplier,
    };
  }
  // Nobody knows the distance of its values, so a slot ends where the next one begins.
  const { name, firstIndex, slots } = exporterLinearLayout(range);
  const bounds = slots.bounds.map((key) => (key + 1) * PARTS);
  const layout = explicitKernelLayout(bounds, { name, firstIndex, lowest: range.min * PARTS });
  return { layout, scale: multiplier / PARTS, sumUnit: PARTS };
}

/**
 * Reads the histograms of a configuration file of ebpf_exporter: see `parseEbpfExporterConfig`.
 *
 * @param path A file, of which no more is read than a configuration may have.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the file cannot be read, is invalid, or has no histograms. The message begins
 *   with the path. `ERR_TOO_LARGE` when it is larger than any configuration.
 * @example
 * ```ts no-run needs a file
 * import { readEbpfExporterConfig, ingestKernel, kernelMap } from '@hdrscope/ebpf';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * for (const { name, map, family, decode } of await readEbpfExporterConfig('biolatency.yaml')) {
 *   ingestKernel(registry, decode(kernelMap({ name, ...map })), family);
 * }
 * ```
 */
export async function readEbpfExporterConfig(
  path: string,
  options: ExporterConfigOptions = {},
): Promise<ExporterHistogram[]> {
  assertFollows('the path', filledText('the path of a file'), path);
  let histograms: ExporterHistogram[];
  try {
    histograms = parseEbpfExporterConfig(await textOf(path), options);
  } catch (error) {
    const { code = 'ERR_INVALID_OPTION', details = {} } = error instanceof HdrscopeError ? error : {};
    throw new HdrscopeError(code, `${path}: ${reasonOf(error)}`, {
      cause: error,
      details: { ...details, path },
    });
  }
  if (histograms.length > 0) return histograms;
  const message = `${path} must have histograms under metrics, and has none: counters are not read`;
  throw new HdrscopeError('ERR_INVALID_OPTION', message, { details: { path } });
}

async function textOf(path: string): Promise<string> {
  const bytes = Buffer.alloc(LARGEST_CONFIG + 1);
  const file = await open(path);
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = (await file.read(bytes, length, bytes.length - length)).bytesRead;
    }
    return bytes.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}
