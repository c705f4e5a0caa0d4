import type { Attributes } from '@hdrscope/registry';
import type { KernelLayout } from '../layout/kernel-layout.ts';

/** Where histograms of the kernel come from. What it gives is cumulative, and never taken out of where it was counted. */
export interface KernelSource {
  /** Names it in errors and in snapshots: `the map /sys/fs/bpf/queue_hist`. */
  readonly name: string;
  /**
   * All that was counted until now. Opens what it reads when it is first called, and anew where that was replaced.
   *
   * @throws HdrscopeError `ERR_KERNEL` when it cannot be read now; a later call may succeed.
   */
  read(): Frame | Promise<Frame>;
  /** Gives back what reading has opened. `read` must not be called after that. */
  close(): void | Promise<void>;
}

/** The histograms of a source at one moment. */
export interface Frame {
  /**
   * Whose counts these are: it changes when counting begins anew, with another map under the same pin or another run of
   * a script.
   */
  readonly generation: string;
  /** How many counters each slot has, one for each possible CPU; 1 where the CPUs share it. */
  readonly cpuCount: number;
  /** Where a counter begins anew after its largest value. */
  readonly counterBits: 32 | 64;
  readonly histograms: readonly KernelHistogram[];
}

/** One histogram of a frame. */
export interface KernelHistogram {
  /** Of what it counts: the name of the map, or of the variable of a script. */
  readonly name: string;
  /** What tells it from others of its name: the fields of its key but the slot. */
  readonly attributes: Attributes;
  readonly layout: KernelLayout;
  /**
   * The counters of all slots of the layout on the first CPU, then on the second, and so on: `cpuCount` times
   * `layout.slots.slotCount` integers from 0 to 2^53 − 1.
   */
  readonly counts: Float64Array;
  /** The sum of the values on each CPU, where the program keeps one; exact up to 2^53. */
  readonly sums: Float64Array | undefined;
}
