import { assertFollows, custom } from '@hdrscope/core/internal';
import { MapReader } from '../bpf/map-reader.ts';
import { mapInfo } from '../bpf/maps.ts';
import { enableStatistics, programStatistics } from '../bpf/programs.ts';
import { type Bpf, loadBpf } from '../bpf/syscall.ts';
import { kernelError } from '../errors.ts';
import type { Frame, KernelHistogram, KernelSource } from '../source/source.ts';
import {
  KeyedCounts,
  type KeyedOptions,
  type ProgramHistogram,
  type Words,
  wordsIn,
} from './keyed-counts.ts';
import type { LoadedProgram } from './load-program.ts';

/**
 * Reads the histograms of a program that this process has loaded. Opening its maps by their ids would take CAP_SYS_ADMIN.
 * This takes no more rights than loading the program.
 *
 * @param name Name of the source in errors.
 * @param keyed Reads the counts of each key. Left out, all keys count together, on each CPU.
 */
export function programSource(
  name: string,
  program: LoadedProgram,
  histograms: readonly ProgramHistogram[],
  keyed?: KeyedOptions,
): KernelSource {
  const readers = histograms.map((histogram) => new CpuReader(program, histogram));
  const missed = new CpuWords(program, 'missed');
  const keys = keyed && new KeyedCounts(program, histograms, keyed);
  const generation = `program ${program.programs[0]?.id}`;
  return {
    name,
    async read(): Promise<Frame> {
      const bpf = await loadBpf();
      // After the program is closed, its descriptors may belong to other files.
      if (program.isClosed) throw kernelError(`${name} is closed`);
      const together = readers.map((reader) => reader.read(bpf));
      const skipped = program.programs.map(({ fd }) => programStatistics(bpf, fd).skipped);
      const common = {
        generation,
        counterBits: 64,
        missed: sumOf([...missed.readAll(bpf), ...skipped]),
      } as const;
      if (keys === undefined) return { ...common, cpuCount: readers[0]!.cpuCount, histograms: together };
      return { ...common, cpuCount: 1, histograms: keys.read(bpf, together) };
    },
    close: () => program.close(),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Reads one per-CPU map that this process has open, and reuses the memory for it. */
class CpuWords {
  readonly #fd: number;
  #reader: MapReader | undefined;

  constructor(program: LoadedProgram, map: string) {
    this.#fd = program.maps.get(map)!.fd;
  }

  get cpuCount(): number {
    return this.#reader?.cpuCount ?? 1;
  }

  /** All words: for each entry the value on the first CPU, then on the second CPU, and so on. */
  read(bpf: Bpf): Words {
    this.#reader ??= new MapReader(bpf, mapInfo(bpf, this.#fd));
    this.#reader.read(this.#fd);
    return wordsIn(this.#reader.values);
  }

  /** The word of each CPU, when a value is one word. */
  readAll(bpf: Bpf): number[] {
    const word = this.read(bpf);
    return Array.from({ length: this.cpuCount }, (_, cpu) => word(cpu));
  }
}

/** Reads the counts of a histogram on each CPU. */
class CpuReader {
  readonly #histogram: ProgramHistogram;
  readonly #words: CpuWords;

  constructor(program: LoadedProgram, histogram: ProgramHistogram) {
    this.#histogram = histogram;
    this.#words = new CpuWords(program, histogram.map);
  }

  get cpuCount(): number {
    return this.#words.cpuCount;
  }

  read(bpf: Bpf): KernelHistogram {
    const { name, layout, hasSum, metric } = this.#histogram;
    const word = this.#words.read(bpf);
    const { cpuCount } = this;
    const { slotCount } = layout.slots;
    const counts = new Float64Array(cpuCount * slotCount);
    const sums = hasSum ? new Float64Array(cpuCount) : undefined;
    for (let cpu = 0; cpu < cpuCount; cpu++) {
      const first = cpu * (slotCount + 1);
      for (let slot = 0; slot < slotCount; slot++) {
        counts[cpu * slotCount + slot] = word(hasSum ? first + slot : slot * cpuCount + cpu);
      }
      if (sums !== undefined) sums[cpu] = word(first + slotCount);
    }
    return { name, attributes: {}, layout, counts, sums, metric };
  }
}

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
export async function measureCost(loaded: LoadedProgram): Promise<CostMeter> {
  assertFollows('the program', loadedProgram, loaded);
  const { programs } = loaded;
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

const loadedProgram = custom<LoadedProgram>('a program of loadProgram', (value) =>
  Array.isArray((value as LoadedProgram).programs),
);
