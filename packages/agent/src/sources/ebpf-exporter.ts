import { join, resolve } from 'node:path';
import {
  bpftoolMap,
  type ExporterHistogram,
  ingestKernel,
  type KernelIngestion,
  kernelMap,
  readEbpfExporterConfig,
} from '@hdrscope/ebpf';
import { findMapId, type MapPlace } from '@hdrscope/ebpf/internal';
import * as z from '#zod';
import { text } from '../config/values.ts';
import { type ConfigOf, defineSource, entry, type SourcePart } from '../part.ts';
import {
  attributes,
  bpftool,
  combineObservers,
  dropAttributes,
  listDefined,
  perCpu,
  readTimeout,
  since,
} from './shared.ts';

const schema = entry(
  'ebpf-exporter',
  'The histograms of a configuration of ebpf_exporter, read from the maps of its programs.',
  {
    config: text('the path of a configuration of ebpf_exporter').describe('The path of the configuration.'),
    pins: text('the path of a folder')
      .optional()
      .describe(
        'A folder with the pins of the maps. Default: maps are found by the names of the histograms.',
      ),
    prefix: z
      .string({ error: 'must be a text' })
      .default('ebpf_exporter_')
      .describe('The beginning of the names of families.'),
    perCpu,
    bpftool,
    since,
    timeout: readTimeout,
    attributes,
    dropAttributes,
  },
);

type Config = ConfigOf<typeof schema>;

/** The histograms of a configuration of ebpf_exporter. Every gather reads their maps. The file is read at the start. */
export const ebpfExporter: SourcePart = defineSource({
  schema,
  example: `
# The histograms of ebpf_exporter, from the maps that it has in the kernel.
- name: block-io
  type: ebpf-exporter
  config: /etc/ebpf_exporter/biolatency.yaml
`,
  origin({ config, pins }) {
    const where = pins === undefined ? '' : ` in ${resolve(pins)}`;
    return { key: 'config', what: 'configuration of ebpf_exporter', id: `${resolve(config)}${where}` };
  },
  async start(config, { registry, intake }) {
    const { pins, perCpu, attributes, timeout, since, prefix } = config;
    const histograms = await readEbpfExporterConfig(config.config, { prefix });
    const observers = combineObservers();
    const running: KernelIngestion[] = [];
    const stop = async (): Promise<void> => {
      await Promise.all(running.map((one) => one.close()));
    };
    try {
      for (const histogram of histograms) {
        const { name, family, decode } = histogram;
        const { observer = {}, ...options } = intake(`ebpf-exporter ${pins ?? 'name'} ${name}`);
        running.push(
          ingestKernel(registry, decode(openMap(histogram, config)), {
            ...options,
            ...family,
            observer: observers.of(name, observer),
            perCpu,
            attributes,
            since,
            timeoutMs: timeout,
          }),
        );
      }
    } catch (error) {
      await stop();
      throw error;
    }
    return {
      note: `${config.config}: ${histograms.map(({ name }) => name).join(', ')}`,
      kernelMaps: async () =>
        listDefined(await Promise.all(histograms.map(({ name }) => findMapId(locateMap(name, config))))),
      stop,
    };
  },
});

function openMap({ name, map }: ExporterHistogram, { pins, bpftool }: Config) {
  const options = { ...locateMap(name, { pins }), ...map };
  return bpftool ? bpftoolMap(options) : kernelMap(options);
}

function locateMap(name: string, { pins }: Pick<Config, 'pins'>): MapPlace {
  return pins === undefined ? { name } : { path: join(pins, name) };
}
