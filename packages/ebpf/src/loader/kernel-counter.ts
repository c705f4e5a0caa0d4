import { HdrscopeError, mustBe } from '@hdrscope/core';
import { onlineCpus, possibleCpus } from '../bpf/cpus.ts';
import { createMap, mapInfo, pin, updateElement } from '../bpf/maps.ts';
import { allocate, LITTLE_ENDIAN, viewOf } from '../bpf/memory.ts';
import { countingProgram, loadProgram } from '../bpf/programs.ts';
import { type Bpf, loadBpf } from '../bpf/syscall.ts';
import { testRun } from '../bpf/test-run.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { queueDepthLayout } from '../layout/presets.ts';
import type { LoadedMap } from './load-program.ts';
import { Pins } from './pins.ts';

/** What a counter in the kernel is like. */
export interface KernelCounterOptions {
  /** @default `queueDepthLayout()` */
  readonly layout?: KernelLayout;
  /** The name of its map, of which the kernel keeps 15 bytes. @default 'hdrscope_count' */
  readonly name?: string;
}

/**
 * A per-CPU array in the kernel, and a program in the kernel that counts in it what it is handed. Nothing is attached: it
 * is for trying out, with known values, whatever reads such maps.
 */
export interface KernelCounter {
  readonly map: LoadedMap;
  /**
   * Has the kernel count a value: an integer of at least 0.
   *
   * @param cpu Which CPU does it. @default each in turn
   * @throws HdrscopeError `ERR_INVALID_VALUE`, `ERR_KERNEL`
   */
  record(value: number, cpu?: number): void;
  /** Sets all counts to zero, as programs do that clear their maps. */
  reset(): void;
  /** As that of a `LoadedProgram`. */
  pin(path: string, mode?: number): void;
  /** Removes its pins and lets go of it. Again is the same as once. */
  close(): void;
}

/**
 * Makes a counter in the kernel. Takes root, or CAP_BPF and CAP_PERFMON.
 *
 * @throws HdrscopeError `ERR_KERNEL`
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
  return makeKernelCounter(await loadBpf(), options);
}

/** As `openKernelCounter`, with a way to the kernel that is there already. */
export function makeKernelCounter(
  bpf: Bpf,
  { layout = queueDepthLayout(), name = 'hdrscope_count' }: KernelCounterOptions = {},
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
    const zeros = allocate(possibleCpus().length * 8);
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
    // Its descriptors may be others' by now.
    if (this.#isClosed) throw new HdrscopeError('ERR_KERNEL', 'the counter is closed');
  }
}
