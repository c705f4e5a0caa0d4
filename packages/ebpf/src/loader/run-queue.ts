import { fileURLToPath } from 'node:url';
import { logLinear8Layout, queueDepthLayout } from '../layout/presets.ts';
import type { KernelSource } from '../source/source.ts';
import { type LoadedProgram, type LoadOptions, loadProgram } from './load-program.ts';
import { loadedMapSource, wordsOfMap } from './loaded-map-source.ts';

/** The run-queue program that comes with this package. `program/README.md` says what exactly it counts. */
export const RUN_QUEUE_PROGRAM: string = fileURLToPath(
  // As far from the sources as from what is built of them.
  new URL('../../program/runqueue.bpf.o', import.meta.url),
);

/** What the scheduler does, counted in the kernel since this was opened. */
export interface RunQueue {
  /** How many tasks a CPU had to run, at each switch from one to another: `queueDepthLayout`. */
  readonly depth: KernelSource;
  /** How long each task waited for its CPU, in nanoseconds: `logLinear8Layout`, with its sum. */
  readonly latency: KernelSource;
  /**
   * How many waits were not measured, for it was not known when they began. Tasks that waited when counting began are
   * the first of them.
   */
  missed(): Promise<number>;
  /** What is loaded, for pinning its maps `queue_hist` and `latency_hist`. */
  readonly program: LoadedProgram;
  /** Ends the counting. Its sources must not be read after that. */
  close(): void;
}

/**
 * Counts run-queue depth and latency of this machine until it is closed, or the process ends.
 * Takes root, or CAP_BPF and CAP_PERFMON, and Linux 5.5 with BTF.
 *
 * @throws HdrscopeError `ERR_KERNEL`
 */
export async function openRunQueue(options: LoadOptions = {}): Promise<RunQueue> {
  const program = await loadProgram(RUN_QUEUE_PROGRAM, options);
  const readMissed = wordsOfMap(program, 'latency_missed');
  return {
    depth: loadedMapSource(program, 'queue_hist', { layout: queueDepthLayout(), inOneValue: false }),
    latency: loadedMapSource(program, 'latency_hist', { layout: logLinear8Layout(), inOneValue: true }),
    missed: async () => {
      const { cpuCount, at } = await readMissed();
      return Array.from({ length: cpuCount }, (_, cpu) => at(cpu)).reduce((sum, count) => sum + count, 0);
    },
    program,
    close: () => program.close(),
  };
}
