import { logLinear8Layout, queueDepthLayout } from '../layout/presets.ts';
import type { KeyedOptions, ProgramHistogram } from './keyed-counts.ts';
import type { ObjectSettings } from './load-program.ts';
import { cgroupKeys, deviceKey, remoteKey, taskKey } from './program-keys.ts';

/** A program of this package. `program/README.md` describes what each of them counts. */
export type KernelProgramName = 'runqueue' | 'blockio' | 'tcprtt';

/** A program of this package: what it counts, and how it is loaded. */
interface Definition {
  /** How it counts by each key: the number for the program, and the reader of its keys. The first one is the default. */
  readonly by: Readonly<Record<string, Key>>;
  /** A kernel that differs may not have all of them: see `note` of `KernelProgram`. */
  readonly histograms: readonly ProgramHistogram[];
  /** What its missed values are, for people. */
  readonly missed: string;
  /** Ways to load it, for kernels that differ. The first one that the kernel takes is used. */
  readonly ways: readonly Way[];
}

interface Key {
  readonly number: number;
  /** Left out, there are no keys. */
  readonly keys?: KeyedOptions['keys'];
  /** Whether there are ever new keys while old ones are not used any more. */
  readonly isTransient?: boolean;
}

/** A way to load a program. */
export interface Way {
  readonly without?: ObjectSettings['without'];
  /** Histogram that it does not count, and why. */
  readonly lacks?: { readonly histogram: string; readonly because: string };
}

const TIMES = logLinear8Layout();
const DEPTH = 'linux.runqueue.depth';
const ALL: Key = { number: 0 };

/** The programs of this package. */
export const KERNEL_PROGRAMS: Readonly<Record<KernelProgramName, Definition>> = {
  runqueue: {
    by: {
      all: ALL,
      task: { number: 1, keys: () => taskKey, isTransient: true },
      cgroup: { number: 2, keys: cgroupKeys(), isTransient: true },
    },
    histograms: [
      {
        name: DEPTH,
        layout: queueDepthLayout(),
        map: 'queue_hist',
        hasSum: false,
        at: TIMES.slots.slotCount + 1,
        metric: { unit: '{task}', description: 'Tasks that a CPU had to run, at each switch between tasks.' },
      },
      {
        name: 'linux.runqueue.latency',
        layout: TIMES,
        map: 'latency_hist',
        hasSum: true,
        at: 0,
        metric: { kernelUnit: 'ns', description: 'Time that tasks waited for a CPU.' },
      },
    ],
    missed: 'waits not measured, because their beginning was not seen',
    ways: [
      {},
      {
        lacks: {
          histogram: DEPTH,
          because:
            'this kernel was built without CONFIG_FAIR_GROUP_SCHED, so the depth of run queues is not counted',
        },
      },
    ],
  },
  blockio: {
    by: { device: { number: 1, keys: () => deviceKey }, all: ALL },
    histograms: [
      {
        name: 'linux.blockio.latency',
        layout: TIMES,
        map: 'latency_hist',
        hasSum: true,
        at: 0,
        metric: { kernelUnit: 'ns', description: 'Time that block devices took for requests.' },
      },
    ],
    missed: 'requests not measured, because their beginning was not seen',
    // The tracepoint has another argument before Linux 5.11.
    ways: [{ without: ['hdrscope_old'] }, { without: ['hdrscope_issue'] }],
  },
  tcprtt: {
    by: { all: ALL, remote: { number: 1, keys: () => remoteKey, isTransient: true } },
    histograms: [
      {
        name: 'linux.tcp.rtt',
        layout: TIMES,
        map: 'rtt_hist',
        hasSum: true,
        at: 0,
        metric: {
          kernelUnit: 'us',
          description: 'Smoothed round-trip time of TCP connections, at each segment that they received.',
        },
      },
    ],
    missed: 'segments of connections that have no round-trip time yet',
    ways: [{}],
  },
};
