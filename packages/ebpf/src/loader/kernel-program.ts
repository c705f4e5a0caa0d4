import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  assertFollows,
  integer,
  type OptionRules,
  oneOf,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import type { HistogramMetric, KernelSource } from '../source/source.ts';
import type { ProgramHistogram } from './keyed-counts.ts';
import { LOAD_RULES, type LoadedProgram, type LoadOptions, loadConfigured } from './load-program.ts';
import { programSource } from './program-source.ts';
import { KERNEL_PROGRAMS, type KernelProgramName, type Way } from './programs.ts';

/** How a program of this package counts. */
export interface KernelProgramOptions extends LoadOptions {
  /**
   * Which values have a histogram of their own. `'all'` counts all of them together, on each CPU. `runqueue` counts by
   * `'task'` or `'cgroup'`, `blockio` by `'device'` (and operation), and `tcprtt` by `'remote'` address.
   * @default 'device' for `blockio`, 'all' for the others
   */
  readonly by?: string;
  /**
   * The largest number of keys that the kernel keeps: an integer from 1 to 10,000. Each of them takes 4 KB of its memory. Keys that
   * have not counted for the longest time make room for new ones. Values without an entry count in a histogram with the attribute
   * `otel.metric.overflow`. @default 1024
   */
  readonly maxKeys?: number;
}

/** What a program of this package counts since it was opened, until it is closed or this process ends. */
export interface KernelProgram {
  /** The program, such as `runqueue`. */
  readonly name: KernelProgramName;
  /** How it counts: the option `by`. */
  readonly by: string;
  /**
   * All its histograms, which know their units. `missed` of its frames is the number of values that were not measured: their beginning
   * was before the program was loaded or was not seen, or the kernel skipped the program. Closing the source closes the program.
   */
  readonly source: KernelSource;
  /** Why this kernel lets it count less than others do; `undefined` when it counts everything. */
  readonly note: string | undefined;
  /** The loaded program, for pinning its maps. */
  readonly program: LoadedProgram;
  /** Ends the counting. The source must not be read afterwards. A second call has no effect. */
  close(): void;
}

/** Path of the object file of a program of this package. */
export function kernelProgramFile(name: KernelProgramName): string {
  // The relative path is the same from `src` and from `dist`.
  return fileURLToPath(new URL(`../../program/${name}.bpf.o`, import.meta.url));
}

const PROGRAM_NAME = oneOf(Object.keys(KERNEL_PROGRAMS) as KernelProgramName[]);

/**
 * Loads a program of this package, which counts until it is closed, or this process ends. This takes Linux 5.5 with BTF, libbpf 1.x, and
 * root, or CAP_BPF and CAP_PERFMON.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the program or an option does not exist, or an option is outside its range;
 *   `ERR_KERNEL` when the program cannot be loaded.
 * @example
 * ```ts no-run needs the rights to load programs
 * import { ingestKernel } from '@hdrscope/ebpf';
 * import { openKernelProgram } from '@hdrscope/ebpf/loader';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const { source } = await openKernelProgram('runqueue', { by: 'cgroup' });
 * const kernel = ingestKernel(registry, source);
 * // … and later, which ends the program too:
 * await kernel.close();
 * ```
 */
export async function openKernelProgram(
  name: KernelProgramName,
  options: KernelProgramOptions = {},
): Promise<KernelProgram> {
  assertFollows('name', PROGRAM_NAME, name);
  const definition = KERNEL_PROGRAMS[name];
  const ways = Object.keys(definition.by);
  const { by, maxKeys, libbpf } = readOptions(options, {
    name: 'openKernelProgram',
    rules: {
      by: withDefault(oneOf(ways), ways[0]!),
      maxKeys: withDefault(integer({ from: 1, to: 10_000 }), 1024),
      ...LOAD_RULES,
    } satisfies OptionRules<KernelProgramOptions>,
    call: "openKernelProgram('runqueue', { by: 'cgroup' })",
  });
  const { number, keys, isTransient = false } = definition.by[by]!;
  // libbpf cannot open this path in an executable that contains the package.
  const object = await readFile(kernelProgramFile(name));
  const { program, lacks } = await firstLoaded(definition.ways, ({ without = [], lacks }) =>
    loadConfigured(object, libbpf, {
      constants: new Uint8Array(Uint32Array.of(number, lacks === undefined ? 0 : 1).buffer),
      maxEntries: { by_key: keys === undefined ? 1 : maxKeys },
      without,
    }),
  );
  const histograms = definition.histograms
    .filter((histogram) => histogram.name !== lacks?.histogram)
    .map((histogram) => (isTransient ? expiring(histogram) : histogram));
  return {
    name,
    by,
    source: programSource(`the program ${name}`, program, histograms, keys && { keys, maxKeys }),
    note: lacks?.because,
    program,
    close: () => program.close(),
  };
}

async function firstLoaded(
  ways: readonly Way[],
  load: (way: Way) => Promise<LoadedProgram>,
): Promise<{ program: LoadedProgram; lacks: Way['lacks'] }> {
  let first: unknown;
  for (const way of ways) {
    try {
      return { program: await load(way), lacks: way.lacks };
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

/** Series of keys that may never come again end after this time, so a registry does not fill up with them. */
const EXPIRE_AFTER_MS = 600_000;

function expiring(histogram: ProgramHistogram): ProgramHistogram {
  const metric: HistogramMetric = { ...histogram.metric, expireAfterMs: EXPIRE_AFTER_MS };
  return { ...histogram, metric };
}
