import { fileURLToPath } from 'node:url';
import { logLinear8Layout, queueDepthLayout } from '../layout/presets.ts';
import type { KernelSource } from '../source/source.ts';
import { type LoadedProgram, type LoadOptions, loadProgram } from './load-program.ts';
import { loadedMapSource, wordsOfMap } from './loaded-map-source.ts';

/** Path of the run-queue program of this package. `program/README.md` describes what it counts. */
export const RUN_QUEUE_PROGRAM: string = fileURLToPath(
  // The relative path is the same from `src` and from `dist`.
  new URL('../../program/runqueue.bpf.o', import.meta.url),
);

/** Run-queue depth and latency, counted in the kernel since this was opened. */
export interface RunQueue {
  /** Number of tasks that a CPU had to run, at each switch between tasks, in the slots of `queueDepthLayout`. */
  readonly depth: KernelSource;
  /** Time that each task waited for its CPU, in nanoseconds, in the slots of `logLinear8Layout`, with the sum. */
  readonly latency: KernelSource;
  /**
   * Number of waits that were not measured, because their beginning was not seen. Tasks that already waited when counting
   * started are the first of them.
   */
  missed(): Promise<number>;
  /** The loaded program, for pinning its maps `queue_hist` and `latency_hist`. */
  readonly program: LoadedProgram;
  /** Ends the counting. The sources must not be read afterwards. */
  close(): void;
}

/**
 * Counts run-queue depth and latency of this machine until it is closed, or the process ends. This takes Linux 5.5 with BTF,
 * and root, or CAP_BPF and CAP_PERFMON.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the program cannot be loaded.
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
