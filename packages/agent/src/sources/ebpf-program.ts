import { ingestKernel, type KernelSource } from '@hdrscope/ebpf';
import { openKernelProgram } from '@hdrscope/ebpf/loader';
import type { EbpfProgramSourceConfig } from '../config/types.ts';
import type { EntryContext, Running } from '../entry.ts';
import { noteOnce } from '../note-once.ts';

/**
 * A program of hdrscope, which counts in the kernel until the source stops. Another run counts from 0.
 *
 * @param open Opens the program. Tests replace it.
 */
export async function startEbpfProgram(
  config: EbpfProgramSourceConfig,
  context: Pick<EntryContext, 'registry' | 'intake' | 'missed' | 'memory' | 'info'>,
  open: typeof openKernelProgram = openKernelProgram,
): Promise<Running> {
  const { perCpu, maxKeys, attributes, timeout } = config;
  const { registry, intake, missed } = context;
  const program = await open(config.program, { by: config.by, maxKeys });
  const note = `${program.name}, by ${program.by}`;
  try {
    if (program.note !== undefined) noteOnce(program.note, context);
    const options = { ...intake(`ebpf-program ${note}`), perCpu, attributes, timeoutMs: timeout };
    const histograms = ingestKernel(registry, counting(program.source, missed), options);
    return { note, stop: () => histograms.close() };
  } catch (error) {
    program.close();
    throw error;
  }
}

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
