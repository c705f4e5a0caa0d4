import { enableStatistics, programStatistics } from '../bpf/programs.ts';
import { loadBpf } from '../bpf/syscall.ts';
import type { LoadedProgram } from './load-program.ts';

/** What a program has cost while it was measured. */
export interface ProgramCost {
  /** Where it is attached, such as `tp_btf/sched_switch`. */
  readonly section: string;
  /** How often the program has run. */
  readonly runs: number;
  /** Duration of all these runs, in nanoseconds. */
  readonly runNs: number;
}

/** Measures the programs of an object file. */
export interface CostMeter {
  /** The cost since the meter was made. */
  read(): readonly ProgramCost[];
  /** Ends the statistics. A second call has no effect. */
  close(): void;
}

/**
 * Measures what the programs of an object file cost. The kernel measures the runs of all programs until the meter is closed or
 * this process ends, which adds some nanoseconds to each run. This takes Linux 5.8 and CAP_SYS_ADMIN.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses.
 */
export async function measureCost({ programs }: LoadedProgram): Promise<CostMeter> {
  const bpf = await loadBpf();
  const statistics = enableStatistics(bpf);
  const before = programs.map(({ fd }) => programStatistics(bpf, fd));
  let isClosed = false;
  return {
    read: () =>
      programs.map(({ section, fd }, i) => {
        const { runs, runNs } = programStatistics(bpf, fd);
        return { section, runs: runs - before[i]!.runs, runNs: runNs - before[i]!.runNs };
      }),
    close() {
      if (isClosed) return;
      isClosed = true;
      bpf.close(statistics);
    },
  };
}
