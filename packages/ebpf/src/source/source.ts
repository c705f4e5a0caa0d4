import {
  assertFollows,
  listOf,
  mustBe,
  object,
  readOptions,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import type { Attributes, CountedUnit } from '@hdrscope/registry';
import { kernelError } from '../errors.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';

/** A source of kernel histograms. Their counts are cumulative, and reading leaves them in the kernel. */
export interface KernelSource {
  /** Name of the source in errors and snapshots: `the map /sys/fs/bpf/queue_hist`. */
  readonly name: string;
  /**
   * Reads all counts up to now. The first call opens the source, and a later call opens it again when it was replaced.
   *
   * @throws HdrscopeError `ERR_KERNEL` when the source cannot be read now. A later call may succeed.
   */
  read(): Frame | Promise<Frame>;
  /** Closes what `read` has opened. `read` must not be called afterwards. */
  close(): void | Promise<void>;
}

/** The histograms of a source at one moment. */
export interface Frame {
  /**
   * Identity of the counters. It changes when they are replaced by others that start at 0: by another map under the same
   * pin, or another run of a script.
   */
  readonly generation: string;
  /** Number of counters of each slot: one for each possible CPU, or 1 when the CPUs share it. */
  readonly cpuCount: number;
  /** Whether the map is full at times and then drops entries without notice, as maps of the type LRU do. @default false */
  readonly isLossy?: boolean;
  /** Whether a program printed the counts before they were read, at a moment that nobody knows. @default false */
  readonly isPrinted?: boolean;
  /** Width of the counters. A counter of 32 bits continues at 0 after its largest value. */
  readonly counterBits: 32 | 64;
  /**
   * What holds the histograms, for the descriptions of metrics: `an eBPF map of the program sched_switch`.
   * @default not known
   */
  readonly origin?: string;
  /** One histogram for each name and set of attributes. */
  readonly histograms: readonly KernelHistogram[];
  /** What shows the layout of the histograms. @default the layout was given */
  readonly ground?: string;
  /** Number of values that the program could not measure, so far. @default not known */
  readonly missed?: number;
}

/** One histogram of a frame. */
export interface KernelHistogram {
  /** Name of the map, or of the variable of a script. */
  readonly name: string;
  /** Fields of its key without the slot. They distinguish histograms of the same name, unless there is an `identity`. */
  readonly attributes: Attributes;
  /**
   * Distinguishes histograms of the same name in place of the attributes, when several may have the same attributes: two
   * control groups of one path, one after the other. Their counts rise and fall apart, and add up in one series.
   */
  readonly identity?: string;
  /** Slots of the histogram, and the indices at which the program counts them. */
  readonly layout: KernelLayout;
  /**
   * Counters of all slots on the first CPU, then on the second CPU, and so on: `cpuCount * layout.slots.slotCount` integers
   * from 0 to 2^53 − 1.
   */
  readonly counts: Float64Array;
  /** Identity of its counters, when they may be replaced apart from other histograms. @default that of the frame */
  readonly generation?: string;
  /** Sum of the values on each CPU, exact up to 2^53; `undefined` when the program keeps no sum. */
  readonly sums: Float64Array | undefined;
  /** What the source knows of its metric. @default nothing */
  readonly metric?: HistogramMetric;
}

/** What a source knows of the metric of a histogram: defaults of `ingestKernel`. */
export interface HistogramMetric {
  /** See `KernelFamilyOptions`. */
  readonly kernelUnit?: CountedUnit;
  /** See `KernelFamilyOptions`. */
  readonly unit?: string;
  /** See `KernelFamilyOptions`. */
  readonly description?: string;
  /** See `KernelFamilyOptions`. */
  readonly expireAfterMs?: number;
}

/**
 * The histograms of a frame by their name and what distinguishes histograms of one name.
 *
 * @throws HdrscopeError `ERR_KERNEL` when parts of the frame do not fit each other, or it has a histogram twice.
 */
export function byIdentity({ cpuCount, histograms }: Frame): Map<string, KernelHistogram> {
  const known = new Map<string, KernelHistogram>();
  for (const histogram of histograms) {
    const { name, layout, counts, sums } = histogram;
    const expected = cpuCount * layout.slots.slotCount;
    if (counts.length !== expected) {
      throw mustBe('ERR_KERNEL', `the counts of ${name}`, `${expected}, ${cpuCount} CPUs`, counts.length);
    }
    if (sums !== undefined && sums.length !== cpuCount) {
      throw mustBe('ERR_KERNEL', `the sums of ${name}`, `${cpuCount}, one for each CPU`, sums.length);
    }
    const identity = JSON.stringify([name, histogram.identity ?? sorted(histogram.attributes)]);
    if (known.has(identity)) {
      throw kernelError(`${name} must have each set of attributes once, got ${identity} twice`, { name });
    }
    known.set(identity, histogram);
  }
  return known;
}

function sorted(attributes: KernelHistogram['attributes']): readonly unknown[] {
  return Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * A source for tests. Each `read` returns the next frame, and the last frame repeats. An error in the list is thrown in
 * its turn.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 */
export function framesSource(
  frames: readonly (Frame | Error)[],
  options: { readonly name?: string } = {},
): KernelSource {
  assertFollows('frames', listOf<Frame | Error>(object(), 'frames and errors'), frames);
  const { name } = readOptions(options, FRAMES_SOURCE);
  let next = 0;
  let isClosed = false;
  return {
    name,
    read: () => {
      if (isClosed) throw kernelError(`${name} are closed`);
      const frame = frames[Math.min(next++, frames.length - 1)];
      if (frame === undefined) throw kernelError(`${name} must be at least one`);
      if (frame instanceof Error) throw frame;
      return frame;
    },
    close: () => {
      isClosed = true;
    },
  };
}

const FRAMES_SOURCE = {
  name: 'framesSource',
  rules: { name: withDefault(text, 'the frames') },
  call: "framesSource(frames, { name: 'test' })",
};
