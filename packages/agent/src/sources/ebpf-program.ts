import { ingestKernel, type KernelSource } from '@hdrscope/ebpf';
import { KERNEL_PROGRAMS } from '@hdrscope/ebpf/internal';
import { openKernelProgram } from '@hdrscope/ebpf/loader';
import { oneOf, text, wholeNumber } from '../config/values.ts';
import { defineSource, entry, noteOnce, type SourcePart } from '../part.ts';
import { attributes, dropAttributes, perCpu, readTimeout } from './shared.ts';

const schema = entry(
  'ebpf-program',
  'A program of hdrscope, which counts in the kernel while the source runs.',
  {
    program: oneOf('runqueue', 'blockio', 'tcprtt').describe('The name of the program.'),
    by: text('what the program counts by')
      .optional()
      .describe(
        'What has series of its own. runqueue: all, task or cgroup. blockio: device or all. tcprtt: all or remote. Default: the first of them.',
      ),
    maxKeys: wholeNumber(1, 10_000).default(1024).describe('How many keys the kernel keeps.'),
    perCpu,
    timeout: readTimeout,
    attributes,
    dropAttributes,
  },
)
  .transform((source) => ({
    ...source,
    by: source.by ?? Object.keys(KERNEL_PROGRAMS[source.program].by)[0]!,
  }))
  .check(({ value: { program, by, perCpu }, issues }) => {
    const known = Object.keys(KERNEL_PROGRAMS[program].by);
    if (!known.includes(by)) {
      const message = `must be one of ${known.join(', ')} for ${program}`;
      issues.push({ code: 'custom', message, path: ['by'], input: by });
    } else if (perCpu && by !== 'all') {
      const message = `must be false, because counts by ${by} are those of all CPUs together`;
      issues.push({ code: 'custom', message, path: ['perCpu'], input: perCpu });
    }
  });

/**
 * A program of hdrscope, which counts in the kernel until the source stops. Another run counts from 0.
 *
 * @param open Opens the program. Tests replace it.
 */
export function createEbpfProgram(open: typeof openKernelProgram = openKernelProgram): SourcePart {
  return defineSource({
    schema,
    example: `
# A program that counts in the kernel: runqueue (by task, cgroup), blockio (by device) or tcprtt (by remote).
- name: runqueue
  type: ebpf-program
  program: runqueue
  by: cgroup
`,
    origin: ({ program }) => ({ key: 'program', what: 'program', id: program }),
    async start(config, context) {
      const { perCpu, maxKeys, attributes, timeout } = config;
      const { registry, intake, missed } = context;
      const program = await open(config.program, { by: config.by, maxKeys });
      const note = `${program.name}, by ${program.by}`;
      try {
        if (program.note !== undefined) noteOnce(program.note, context);
        const options = { ...intake(`ebpf-program ${note}`), perCpu, attributes, timeoutMs: timeout };
        const histograms = ingestKernel(registry, counting(program.source, missed), options);
        return {
          note,
          kernelMaps: async () => [...program.program.maps.values()].map(({ id }) => id),
          stop: () => histograms.close(),
        };
      } catch (error) {
        program.close();
        throw error;
      }
    },
  });
}

export const ebpfProgram: SourcePart = createEbpfProgram();

/** The source, which also reports how many more values its program has missed. */
function counting(source: KernelSource, missed: (values: number) => void): KernelSource {
  let before = 0;
  return {
    name: source.name,
    read: async () => {
      const frame = await source.read();
      missed((frame.missed ?? 0) - before);
      before = frame.missed ?? 0;
      return frame;
    },
    close: () => source.close(),
  };
}
