import { ingestKernel, bpftrace as openScript } from '@hdrscope/ebpf';
import { type KernelFamilyOptions, mapIdsOfScripts } from '@hdrscope/ebpf/internal';
import * as z from '#zod';
import { duration, mapping, text, unit } from '../config/values.ts';
import { type ConfigOf, defineSource, entry, type SourcePart } from '../part.ts';
import { attributes, dropAttributes } from './shared.ts';

const schema = entry('bpftrace', 'A bpftrace script that the agent keeps running.', {
  file: text('the path of a script')
    .optional()
    .describe('The path of a script. Either file or script is there.'),
  script: text('a script').optional().describe('The text of a script.'),
  program: text('the path of bpftrace').default('bpftrace').describe('The name or path of bpftrace.'),
  unit: unit
    .prefault('none')
    .describe('The unit in which the script counts, for maps that have no other unit in maps.'),
  maps: z
    .record(
      z.string().regex(/^@/),
      mapping({
        metric: text('the name of a metric')
          .optional()
          .describe(
            'The name of the family. Default: the name of the map without @, and without a unit at its end.',
          ),
        description: text('a description')
          .optional()
          .describe('The description of the family. Default: the map, its script, slots and unit.'),
        unit: unit
          .optional()
          .describe('The unit in which the script counts. Default: the unit of the source.'),
        attributes: attributes.describe('Attributes besides those of the source.'),
      }),
      {
        error: ({ code }) =>
          code === 'invalid_key'
            ? 'must be a map as the script names it, such as "@us"'
            : 'must be a mapping of maps to metrics',
      },
    )
    .prefault({})
    .describe('The metrics of maps, by the names of the maps, such as @us.'),
  keys: z
    .record(z.string(), z.array(text('a name')), { error: 'must be a mapping of maps to lists of names' })
    .default({})
    .describe("The names of each map's keys."),
  printEvery: duration
    .prefault('1s')
    .refine((ms) => ms >= 250, { error: 'must be a duration of at least 250ms' })
    .describe('The time between two outputs of the maps.'),
  timeout: duration.prefault('15s').describe('How long the script may take until it prints first.'),
  attributes,
  dropAttributes,
}).check(({ value, issues }) => {
  if ((value.file === undefined) === (value.script === undefined)) {
    issues.push({ code: 'custom', message: 'must have either file or script', input: value });
  }
});

type Config = ConfigOf<typeof schema>;

/** A bpftrace script. The first gather starts it, and it keeps running. Another run counts from 0, so all its counts are new. */
export const bpftrace: SourcePart = defineSource({
  schema,
  example: `
# A bpftrace script, kept running.
- name: reads
  type: bpftrace
  script: 'kprobe:vfs_read { @read = hist(arg2); }'
  maps: { '@read': { unit: bytes, metric: vfs.read.size } }
`,
  // Equal scripts may be wanted twice, with other attributes: each is a process of its own.
  origin: () => undefined,
  async start(config, { registry, intake }) {
    const { script, file, program, keys, printEvery, unit, maps, attributes, timeout } = config;
    const source = openScript({
      ...(script !== undefined && { script }),
      ...(file !== undefined && { file }),
      program,
      keys,
      printEveryMs: printEvery,
      startTimeoutMs: timeout,
    });
    const histograms = ingestKernel(registry, source, {
      ...intake(source.name),
      kernelUnit: unit,
      attributes,
      families: Object.fromEntries(
        Object.entries(maps).map(([map, one]) => [map, familyOptions(one, config)]),
      ),
      timeoutMs: timeout,
    });
    return {
      note: source.name,
      // Another script of the agent is another source of this type.
      kernelMaps: async () => mapIdsOfScripts(),
      stop: () => histograms.close(),
    };
  },
});

function familyOptions(
  { metric, description, unit, attributes }: Config['maps'][string],
  source: Config,
): KernelFamilyOptions {
  return {
    ...(metric !== undefined && { name: metric }),
    ...(description !== undefined && { description }),
    kernelUnit: unit ?? source.unit,
    attributes: { ...source.attributes, ...attributes },
  };
}
