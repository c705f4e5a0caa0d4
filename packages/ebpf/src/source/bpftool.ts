import { execFile } from 'node:child_process';
import { HdrscopeError } from '@hdrscope/core';
import { filledText, milliseconds, type OptionRules, withDefault } from '@hdrscope/core/internal';
import { atOnce } from '@hdrscope/kit';
import { isLossy, type MapInfo } from '../bpf/maps.ts';
import { keptName } from '../bpf/memory.ts';
import { originOfMap } from '../bpf/programs.ts';
import { kernelError } from '../errors.ts';
import { type KernelLayout, kernelLayout } from '../layout/kernel-layout.ts';
import { entriesOfDump, infoOfShow } from './bpftool-json.ts';
import { is64 } from './kernel-map-counters.ts';
import { HistogramMaker } from './kernel-map-histograms.ts';
import { type ResolvedShape, resolveShape } from './kernel-map-shape.ts';
import { shapeFor } from './map-layout.ts';
import { MAP_RULES, type MapShape, readMapOptions } from './map-shape.ts';
import type { Frame, KernelSource } from './source.ts';
import { SumCheck, withoutEmptySums } from './sum-check.ts';

/** Which map is read, and how. Exactly one of `path`, `id` and `name` chooses the map. */
export interface BpftoolMapOptions {
  /** Path of its pin. */
  readonly path?: string;
  /** Its id. */
  readonly id?: number;
  /** Its name, which no other map may have. The kernel keeps 15 bytes of it. */
  readonly name?: string;
  /** Slots of the histograms, and the indices at which the program counts them. */
  readonly layout: KernelLayout;
  /** Position of the counts in the map. bpftool does not report types. @default what the sizes of keys and values show */
  readonly shape?: MapShape;
  /** Name of the histograms. @default the name of the map */
  readonly histogram?: string;
  /** Longest time of one run of bpftool, in milliseconds. @default 5000 */
  readonly timeoutMs?: number;
  /** Name or path of bpftool. @default 'bpftool' */
  readonly program?: string;
}

/**
 * Reads the histograms of a map through `bpftool map dump`, for machines without koffi. It takes root, even for a pin that
 * everybody may read, because bpftool opens maps for writing too. Each `read` starts two processes and takes about 5 ms for
 * a small map, where `kernelMap` takes 5 µs. So read at most once a second.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside its range, or not exactly one
 *   option chooses the map.
 * @example
 * ```ts no-run needs a map that is pinned
 * import { bpftoolMap, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const source = bpftoolMap({ path: '/sys/fs/bpf/queue_hist', layout: queueDepthLayout() });
 * const { histograms } = await source.read();
 * ```
 */
export function bpftoolMap(options: BpftoolMapOptions): KernelSource {
  const { timeoutMs, program } = readMapOptions(options, BPFTOOL_MAP);
  const which = selector(options);
  const title = `the map ${which.join(' ')} of bpftool`;
  const ask = (action: 'show' | 'dump'): Promise<string> =>
    runProgram(program, ['-j', 'map', action, ...which], { timeoutMs, explain: explanation });
  let plan: ReadPlan | undefined;
  let isClosed = false;
  return {
    name: title,
    read: async (): Promise<Frame> => {
      if (isClosed) throw kernelError(`${title} is closed`);
      const info = infoOfShow(await ask('show'), which);
      if (plan?.info.id !== info.id) plan = planOf(info, options);
      const { shape, maker, sums } = plan;
      let entries = entriesOfDump(await ask('dump'), info);
      let histograms = atOnce(maker.make(entries, entries.count));
      while (sums.asksAgain(histograms)) {
        entries = entriesOfDump(await ask('dump'), info);
        histograms = atOnce(maker.make(entries, entries.count));
      }
      return {
        generation: `map ${info.id}`,
        cpuCount: entries.cpuCount,
        isLossy: isLossy(info),
        counterBits: is64(shape.counts.type) ? 64 : 32,
        origin: originOfMap([]),
        histograms: withoutEmptySums(histograms),
      };
    },
    close: () => {
      isClosed = true;
    },
  };
}

const BPFTOOL_MAP = {
  name: 'bpftoolMap',
  rules: {
    ...MAP_RULES,
    layout: kernelLayout,
    timeoutMs: withDefault(milliseconds({ from: 1 }), 5000),
    program: withDefault(filledText(), 'bpftool'),
  } satisfies OptionRules<BpftoolMapOptions>,
  call: "bpftoolMap({ path: '/sys/fs/bpf/queue_hist', layout: queueDepthLayout() })",
};

/** How the map is read that has the id in `info`. */
interface ReadPlan {
  readonly info: MapInfo;
  readonly shape: ResolvedShape;
  readonly maker: HistogramMaker;
  readonly sums: SumCheck;
}

function planOf(info: MapInfo, { layout, shape = {}, histogram = info.name }: BpftoolMapOptions): ReadPlan {
  const resolved = resolveShape(info, shapeFor(info, layout, shape), layout);
  return {
    info,
    shape: resolved,
    maker: new HistogramMaker({ name: histogram, info, shape: resolved, layout }),
    sums: new SumCheck(info, layout, resolved),
  };
}

function selector({ path, id, name }: BpftoolMapOptions): readonly string[] {
  if (path !== undefined) return ['pinned', path];
  if (id !== undefined) return ['id', String(id)];
  // bpftool refuses names that are longer than the 15 bytes that the kernel keeps.
  return ['name', keptName(name ?? '')];
}

/** The reason of a failure, which bpftool prints to standard output, and the cure. */
function explanation(stdout: string): string {
  const reason = errorIn(stdout);
  if (reason === undefined) return 'it does not find the map: is the program loaded?';
  if (reason.includes('Permission denied') || reason.includes('not permitted')) {
    return `${reason}; bpftool takes root; kernelMap reads a pin of mode 0444 without it`;
  }
  return reason.includes('No such file') ? `${reason}; is the program loaded?` : reason;
}

const LONGEST_MESSAGE = 10_000;

function errorIn(stdout: string): string | undefined {
  try {
    // A longer output is no message.
    const { error } = JSON.parse(stdout.slice(0, LONGEST_MESSAGE)) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

interface RunOptions {
  readonly timeoutMs: number;
  /** Finds the reason of a failure in the output of the program. */
  explain(stdout: string): string;
}

const LARGEST_OUTPUT_BYTES = 256 * 2 ** 20;

/**
 * Runs a program to its end, and returns its output.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the program is missing, fails or takes too long; `ERR_TOO_LARGE` when it prints
 *   more than 256 MiB.
 */
function runProgram(
  program: string,
  args: readonly string[],
  { timeoutMs, explain }: RunOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      timeout: Math.ceil(timeoutMs),
      killSignal: 'SIGKILL',
      maxBuffer: LARGEST_OUTPUT_BYTES,
    } as const;
    execFile(program, [...args], options, (cause, stdout) => {
      if (cause === null) return resolve(stdout);
      if (cause.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
        const message = `the output of ${program} must be at most ${LARGEST_OUTPUT_BYTES} bytes, and is longer`;
        return reject(new HdrscopeError('ERR_TOO_LARGE', message, { cause, details: { program } }));
      }
      reject(kernelError(failure(cause), { program }, cause));

      function failure({ code, killed }: { code?: unknown; killed?: boolean }): string {
        if (code === 'ENOENT') return `cannot run ${program}: it is not installed, or not in PATH`;
        if (code === 'EACCES') return `cannot run ${program}: this user may not execute it`;
        const command = [program, ...args].join(' ');
        if (killed === true)
          return `\`${command}\` must end within ${timeoutMs} ms, and did not: raise timeoutMs`;
        return `\`${command}\` failed: ${explain(stdout)}`;
      }
    });
  });
}
