import {
  bpftoolMap,
  ingestKernel,
  type KernelSource,
  kernelMap,
  type MapShape,
  parseKernelLayout,
  parseMapShape,
} from '@hdrscope/ebpf';
import { findMapId, KERNEL_LAYOUT_SYNTAX, MAP_SHAPE_SYNTAX, parseMapPlace } from '@hdrscope/ebpf/internal';
import * as z from '#zod';
import { acceptedBy, text, unit } from '../config/values.ts';
import { type ConfigOf, defineSource, entry, type SourcePart } from '../part.ts';
import { attributes, bpftool, dropAttributes, listDefined, perCpu, readTimeout, since } from './shared.ts';

const SUM = 'must be a field of the value, an index, after-last or none';

const schema = entry('ebpf-map', 'A map in which an eBPF program counts.', {
  map: text('the path of a pin, id:N or name:X')
    .regex(/^(?!id:(?![1-9]\d*$))(?!name:$)/, { error: 'must be the path of a pin, id:N or name:X' })
    .describe('The path of its pin, id:N or name:X.'),
  layout: acceptedBy(parseKernelLayout, `a layout: ${KERNEL_LAYOUT_SYNTAX}`)
    .optional()
    .describe(
      'The layout of its slots. Default: what the map shows; a map that does not show it needs this key.',
    ),
  shape: acceptedBy(parseMapShape, `a shape: ${MAP_SHAPE_SYNTAX}`)
    .optional()
    .describe('The types of its keys and values. Default: the types of the map.'),
  sum: z
    .union([text('a sum'), z.int({ error: SUM }).nonnegative({ error: SUM })], { error: SUM })
    .optional()
    .describe(
      'Where the sum is: a field of the value, an index, after-last or none. Default: the field sum.',
    ),
  unit: unit.prefault('none').describe('The unit in which the program counts.'),
  metric: text('the name of a metric')
    .optional()
    .describe('The name of the family. Default: the name of the map, without a unit at its end.'),
  description: text('a description')
    .optional()
    .describe('The description of the family. Default: the map, its programs, slots and unit.'),
  perCpu,
  bpftool,
  since,
  timeout: readTimeout,
  attributes,
  dropAttributes,
}).check(({ value, issues }) => {
  if (value.bpftool && value.layout === undefined) {
    const message = 'must be set with bpftool, because finding a layout takes koffi';
    issues.push({ code: 'custom', message, path: ['layout'], input: value.layout });
  }
});

type Config = ConfigOf<typeof schema>;

/** A map of an eBPF program. Every gather reads it. */
export const ebpfMap: SourcePart = defineSource({
  schema,
  example: `
# A map in which an eBPF program counts: "hdrscope ebpf list" shows them.
- name: queue
  type: ebpf-map
  map: /sys/fs/bpf/queue_hist
  layout: queue-depth
`,
  origin: ({ map }) => ({ key: 'map', what: 'map', id: map }),
  async start(config, { registry, intake }) {
    const { map, metric, description, unit, perCpu, attributes, timeout, since } = config;
    const source = openMap(config);
    const histograms = ingestKernel(registry, source, {
      ...intake(`ebpf-map ${map}`),
      ...(metric !== undefined && { name: metric }),
      ...(description !== undefined && { description }),
      kernelUnit: unit,
      perCpu,
      attributes,
      since,
      timeoutMs: timeout,
    });
    return {
      note: map,
      kernelMaps: async () => listDefined([await findMapId(parseMapPlace(map)!)]),
      stop: () => histograms.close(),
    };
  },
});

function openMap({ map, layout: text, shape, sum, bpftool }: Config): KernelSource {
  const described: MapShape = {
    ...(shape !== undefined && parseMapShape(shape)),
    ...(sum !== undefined && { sum }),
  };
  const options = { ...parseMapPlace(map)!, shape: described };
  if (text === undefined) return kernelMap(options);
  const layout = parseKernelLayout(text);
  return bpftool ? bpftoolMap({ ...options, layout }) : kernelMap({ ...options, layout });
}
