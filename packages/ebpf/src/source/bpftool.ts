import { HdrscopeError, mustBe } from '@hdrscope/core';
import type { MapInfo } from '../bpf/maps.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { entriesOfDump, infoOfShow } from './bpftool-json.ts';
import { HistogramMaker } from './kernel-map-histograms.ts';
import { type MapShape, type ResolvedShape, resolveShape } from './kernel-map-shape.ts';
import { runProgram } from './run-program.ts';
import type { Frame, KernelSource } from './source.ts';

/** Which map is read, and how: one of `path`, `id` and `name` says which. */
export interface BpftoolMapOptions {
  /** Where it is pinned. */
  readonly path?: string;
  /** Its number. */
  readonly id?: number;
  /** Its name, of which the kernel keeps 15 bytes and which must be the only one. */
  readonly name?: string;
  /** How its program numbers the slots. */
  readonly layout: KernelLayout;
  /** Where in it the counts are. bpftool tells no types: all but what sizes tell is to be said. */
  readonly shape?: MapShape;
  /** The name of the histograms. @default that of the map */
  readonly histogram?: string;
  /** How long bpftool may take. @default 5000 */
  readonly timeoutMs?: number;
  /** The program that is run. @default 'bpftool' */
  readonly program?: string;
}

/**
 * The histograms of a map as `bpftool map dump` gives them: for machines without koffi. It takes root, even where the pin
 * may be read by all, since bpftool opens maps for writing too. A reading starts two processes and takes some 5 ms for a
 * small map, against 5 µs of `kernelMap`: read once a second at most.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 * @example
 * ```ts no-run needs a map that is pinned
 * import { bpftoolMap, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const source = bpftoolMap({ path: '/sys/fs/bpf/queue_hist', layout: queueDepthLayout() });
 * const { histograms } = await source.read();
 * ```
 */
export function bpftoolMap(options: BpftoolMapOptions): KernelSource {
  const { path, id, name, timeoutMs = 5000, program = 'bpftool' } = options;
  if ([path, id, name].filter((given) => given !== undefined).length !== 1) {
    throw new HdrscopeError('ERR_INVALID_OPTION', 'a map must be named by one of path, id and name');
  }
  if (id !== undefined && !(Number.isInteger(id) && id >= 1)) {
    throw mustBe('ERR_INVALID_OPTION', 'id', 'an integer of at least 1', id);
  }
  if (!(timeoutMs >= 1 && timeoutMs < 2 ** 31)) {
    throw mustBe('ERR_INVALID_OPTION', 'timeoutMs', 'milliseconds from 1 to 2^31 - 1', timeoutMs);
  }
  const which = selector(options);
  const title = `the map ${which.join(' ')} of bpftool`;
  const ask = (action: 'show' | 'dump'): Promise<string> =>
    runProgram(program, ['-j', 'map', action, ...which], { timeoutMs, explain: explanation });
  let known: Known | undefined;
  let isClosed = false;
  return {
    name: title,
    read: async (): Promise<Frame> => {
      if (isClosed) throw new HdrscopeError('ERR_KERNEL', `${title} is closed`);
      const info = infoOfShow(await ask('show'), which);
      if (known?.info.id !== info.id) known = examine(info, options);
      const entries = entriesOfDump(await ask('dump'), info);
      return {
        generation: `map ${info.id}`,
        cpuCount: entries.cpuCount,
        counterBits: known.shape.counts.type === 'u64' ? 64 : 32,
        histograms: known.maker.make(entries, entries.count),
      };
    },
    close: () => {
      isClosed = true;
    },
  };
}

interface Known {
  readonly info: MapInfo;
  readonly shape: ResolvedShape;
  readonly maker: HistogramMaker;
}

function examine(info: MapInfo, { layout, shape = {}, histogram = info.name }: BpftoolMapOptions): Known {
  const resolved = resolveShape(info, shape, layout);
  return {
    info,
    shape: resolved,
    maker: new HistogramMaker({ name: histogram, info, shape: resolved, layout }),
  };
}

function selector({ path, id, name }: BpftoolMapOptions): readonly string[] {
  if (path !== undefined) return ['pinned', path];
  if (id !== undefined) return ['id', String(id)];
  // As many bytes as the kernel keeps: bpftool refuses longer ones.
  return [
    'name',
    Buffer.from(name ?? '')
      .subarray(0, 15)
      .toString(),
  ];
}

/** What bpftool says of its failure, and what helps. It is on standard output. */
function explanation(stdout: string): string {
  const said = errorIn(stdout);
  if (said === undefined) return 'it finds no such map: is the program loaded?';
  if (said.includes('Permission denied') || said.includes('not permitted')) {
    return `${said}; bpftool takes root: kernelMap reads without what is pinned with mode 0444`;
  }
  return said.includes('No such file') ? `${said}; is the program loaded?` : said;
}

function errorIn(stdout: string): string | undefined {
  try {
    const { error } = JSON.parse(stdout) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
