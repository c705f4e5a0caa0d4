import { type KernelSource, kernelHistograms } from '@hdrscope/ebpf';
import { openKernelProgram } from '@hdrscope/ebpf/loader';
import type { EbpfProgramSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** A program of hdrscope, which counts in the kernel until the source stops. Another run counts from 0. */
export const startEbpfProgram: Start<EbpfProgramSourceConfig> = async (
  config,
  { registry, intake, info, missed },
) => {
  const { perCpu, maxKeys, attributes, timeout } = config;
  const program = await openKernelProgram(config.program, { by: config.by, maxKeys });
  const note = `${program.name}, by ${program.by}`;
  try {
    if (program.note !== undefined) info(program.note);
    const options = { ...intake(`ebpf-program ${note}`), perCpu, attributes, timeoutMs: timeout };
    const histograms = kernelHistograms(registry, counting(program.source, missed), options);
    return { note, stop: () => histograms.close() };
  } catch (error) {
    program.close();
    throw error;
  }
};

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
