import { mustBe, type OptionRules, optional, readOptions, text, withDefault } from '@hdrscope/core/internal';
import { countingProgram } from '../bpf/counting-program.ts';
import { MOST_CPUS } from '../bpf/cpus.ts';
import { createMap, mapInfo, pin, updateElement } from '../bpf/maps.ts';
import { allocate, LITTLE_ENDIAN, viewOf } from '../bpf/memory.ts';
import { loadProgram, testRun } from '../bpf/programs.ts';
import { type Bpf, loadBpf } from '../bpf/syscall.ts';
import { kernelError } from '../errors.ts';
import { type KernelLayout, kernelLayout } from '../layout/kernel-layout.ts';
import { queueDepthLayout } from '../layout/presets.ts';
import { onlineCpus } from '../system-files.ts';
import { type LoadedMap, Pins } from './load-program.ts';

/** How a counter in the kernel is made. */
export interface KernelCounterOptions {
  /** Slots of the counter. @default `queueDepthLayout()` */
  readonly layout?: KernelLayout;
  /** Name of its map. The kernel keeps 15 bytes of it. @default 'hdrscope_count' */
  readonly name?: string;
}

/**
 * A per-CPU array in the kernel, and a program that counts given values in it. The program is not attached. It is for trying
 * out readers of such maps with known values.
 */
export interface KernelCounter {
  /** The map that takes the counts, for readers of maps. */
  readonly map: LoadedMap;
  /**
   * Makes the kernel count a value.
   *
   * @param value An integer from 0 to 2^53 − 1.
   * @param cpu The CPU that counts it. By default the online CPUs take turns.
   * @throws HdrscopeError `ERR_INVALID_VALUE` when the value is not such an integer, `ERR_KERNEL` when the kernel refuses or
   *   the counter is closed.
   */
  record(value: number, cpu?: number): void;
  /** Sets all counts to 0, like a program that clears its map. */
  reset(): void;
  /** Pins the map with these permission bits: see `LoadedProgram.pin`. */
  pin(path: string, mode?: number): void;
  /** Removes its pins, its program and its map. A second call has no effect. */
  close(): void;
}

/**
 * Makes a counter in the kernel. This takes root, or CAP_BPF and CAP_PERFMON.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist; `ERR_KERNEL` when the kernel refuses.
 * @example
 * ```ts no-run needs the rights to load programs
 * import { openKernelCounter } from '@hdrscope/ebpf/loader';
 *
 * const counter = await openKernelCounter();
 * counter.pin('/sys/fs/bpf/queue_hist', 0o444);
 * for (const depth of [0, 1, 1, 3, 70]) counter.record(depth);
 * counter.close();
 * ```
 */
export async function openKernelCounter(options: KernelCounterOptions = {}): Promise<KernelCounter> {
  const { layout, name } = readOptions(options, OPEN_KERNEL_COUNTER);
  return makeKernelCounter(await loadBpf(), name, layout);
}

const OPEN_KERNEL_COUNTER = {
  name: 'openKernelCounter',
  rules: {
    layout: optional(kernelLayout),
    name: withDefault(text, 'hdrscope_count'),
  } satisfies OptionRules<KernelCounterOptions>,
  call: "openKernelCounter({ name: 'queue_depth' })",
};

/** Makes a counter like `openKernelCounter`, with the given access to the kernel. */
export function makeKernelCounter(
  bpf: Bpf,
  name = 'hdrscope_count',
  layout: KernelLayout = queueDepthLayout(),
): KernelCounter {
  const mapFd = createMap(bpf, {
    type: 'percpu_array',
    keySize: 4,
    valueSize: 8,
    maxEntries: layout.firstIndex + layout.slots.slotCount,
    name,
  });
  try {
    const programFd = loadProgram(bpf, countingProgram({ mapFd, layout }), name);
    return new Counter(bpf, mapFd, programFd);
  } catch (error) {
    bpf.close(mapFd);
    throw error;
  }
}

class Counter implements KernelCounter {
  readonly map: LoadedMap;
  readonly #bpf: Bpf;
  readonly #programFd: number;
  readonly #entries: number;
  readonly #cpus = onlineCpus();
  readonly #pins = new Pins();
  #turn = 0;
  #isClosed = false;

  constructor(bpf: Bpf, fd: number, programFd: number) {
    const { id, name, maxEntries } = mapInfo(bpf, fd);
    this.map = { name, fd, id };
    this.#bpf = bpf;
    this.#programFd = programFd;
    this.#entries = maxEntries;
  }

  record(value: number, cpu = this.#nextCpu()): void {
    this.#assertOpen();
    if (!Number.isSafeInteger(value) || value < 0) {
      throw mustBe('ERR_INVALID_VALUE', 'value', 'an integer from 0 to 2^53 − 1', value);
    }
    testRun(this.#bpf, this.#programFd, [value], { cpu });
  }

  reset(): void {
    this.#assertOpen();
    // The kernel reads a part for each CPU that it knows, which may be more than sysfs shows.
    const zeros = allocate(MOST_CPUS * 8);
    const key = allocate(4);
    for (let index = 0; index < this.#entries; index++) {
      viewOf(key).setUint32(0, index, LITTLE_ENDIAN);
      updateElement(this.#bpf, this.map.fd, key, zeros);
    }
  }

  pin(path: string, mode = 0o600): void {
    this.#assertOpen();
    this.#pins.add(path, mode, () => pin(this.#bpf, this.map.fd, path));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pins.removeAll();
    this.#bpf.close(this.#programFd);
    this.#bpf.close(this.map.fd);
  }

  #nextCpu(): number {
    return this.#cpus[this.#turn++ % this.#cpus.length]!;
  }

  #assertOpen(): void {
    // After the counter is closed, its descriptors may belong to other files.
    if (this.#isClosed) throw kernelError('the counter is closed');
  }
}
