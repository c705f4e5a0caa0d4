import { basename } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { type BtfType, readBtf } from '../bpf/btf.ts';
import { programsOfMap } from '../bpf/map-programs.ts';
import { MapReader } from '../bpf/map-reader.ts';
import { isLossy, type MapInfo, mapInfo } from '../bpf/maps.ts';
import { type Bpf, loadBpf } from '../bpf/syscall.ts';
import { errnoOf, kernelError } from '../errors.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { originOfMap } from '../metric-text.ts';
import { foundMap, type MapAccess, type OpenMap, pinnedMap } from './kernel-map-access.ts';
import { HistogramMaker } from './kernel-map-histograms.ts';
import { isComplete, MAP_SHAPE, type MapShape, resolveShape } from './kernel-map-shape.ts';
import type { Frame, KernelSource } from './source.ts';

/** Which map is read, and how. Exactly one of `path`, `id` and `name` chooses the map. */
export interface KernelMapOptions {
  /** Path of its pin. Reading a pin of mode 0444 takes no capability. */
  readonly path?: string;
  /** Its id. This takes CAP_SYS_ADMIN. */
  readonly id?: number;
  /** Its name, which no other map may have. The kernel keeps 15 bytes of it. This takes CAP_SYS_ADMIN. */
  readonly name?: string;
  /** Slots of the histograms, and the indices at which the program counts them. */
  readonly layout: KernelLayout;
  /** Position of the counts in the map. @default what its types and sizes show */
  readonly shape?: MapShape;
  /** Name of the histograms. @default the name of the map, or of its pin when the kernel may have cut it */
  readonly histogram?: string;
  /** Largest size of the memory for reading, in bytes. @default 64 MiB */
  readonly maxBytes?: number;
  /** Whether one call reads many entries, on kernels that can do so. @default true */
  readonly batch?: boolean;
  /** Access to the kernel. @default through koffi */
  readonly bpf?: Bpf;
}

/**
 * Reads the histograms in a kernel map of the type `array`, `hash`, `percpu_array`, `percpu_hash`, `lru_hash` or
 * `lru_percpu_hash`, as programs of libbpf, bcc, bpftrace and Aya make them. It opens the map for reading only.
 *
 * With `path`, each `read` checks the pin, and another map at the pin is a new generation. With `id` or `name`, the map is
 * open only during a `read`, so it ends with its program. The next map of that `name` is a new generation.
 *
 * A full `lru_` map drops its least recently used entries without notice, so its totals are lossy.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, `id` is not an integer above 0, or not exactly
 *   one option chooses the map. `read` throws `ERR_KERNEL` when the map cannot be read now, and `ERR_TOO_LARGE` when it
 *   takes more than `maxBytes`.
 * @example
 * ```ts no-run needs a map that is pinned
 * import { kernelMap, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const source = kernelMap({ path: '/sys/fs/bpf/queue_hist', layout: queueDepthLayout() });
 * const { histograms } = await source.read();
 * histograms[0]?.counts; // one for each slot on the first CPU, then on the second CPU
 * await source.close();
 * ```
 */
export function kernelMap(options: KernelMapOptions): KernelSource {
  assertOptions(options, KERNEL_MAP);
  if (options.shape !== undefined) assertOptions(options.shape, MAP_SHAPE);
  const { path, id, name } = options;
  if ([path, id, name].filter((which) => which !== undefined).length !== 1) {
    throw new HdrscopeError('ERR_INVALID_OPTION', 'a map must be named by one of path, id and name');
  }
  if (path !== undefined) return new KernelMap(options, pinnedMap(path));
  if (name !== undefined) return new KernelMap(options, foundMap({ name }));
  if (!Number.isInteger(id) || id! < 1)
    throw mustBe('ERR_INVALID_OPTION', 'id', 'an integer of at least 1', id);
  return new KernelMap(options, foundMap({ id: id! }));
}

const KERNEL_MAP: OptionsOwner<KernelMapOptions> = {
  name: 'kernelMap',
  names: {
    path: true,
    id: true,
    name: true,
    layout: true,
    shape: true,
    histogram: true,
    maxBytes: true,
    batch: true,
    bpf: true,
  },
  call: "kernelMap({ path: '/sys/fs/bpf/queue_hist', layout: queueDepthLayout() })",
};

/** How the current map is read. */
interface ReadPlan {
  readonly opening: number;
  readonly info: MapInfo;
  readonly reader: MapReader;
  readonly maker: HistogramMaker;
  readonly counterBits: 32 | 64;
  readonly origin: string;
}

class KernelMap implements KernelSource {
  readonly name: string;
  readonly #options: KernelMapOptions;
  readonly #access: MapAccess;
  #bpf: Bpf | undefined;
  #plan: ReadPlan | undefined;
  #isClosed = false;

  constructor(options: KernelMapOptions, access: MapAccess) {
    this.name = `the map ${access.description}`;
    this.#options = options;
    this.#access = access;
    this.#bpf = options.bpf;
  }

  read(): Frame | Promise<Frame> {
    if (this.#bpf !== undefined) return this.#readBy(this.#bpf);
    return loadBpf().then((bpf) => {
      this.#bpf = bpf;
      return this.#readBy(bpf);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#plan = undefined;
    if (this.#bpf !== undefined) this.#access.close(this.#bpf);
  }

  #readBy(bpf: Bpf): Frame {
    if (this.#isClosed) throw kernelError(`${this.name} is closed: make another source for it`);
    const open = this.#access.open(bpf);
    try {
      const { info, reader, maker, counterBits, origin } = this.#planFor(bpf, open);
      const histograms = maker.make(reader, reader.read(open.fd));
      // No other map has had this id, and counts stay with their map when it gets another pin.
      const facts = { cpuCount: reader.cpuCount, counterBits, isLossy: isLossy(info), origin };
      return { generation: `map ${info.id}`, ...facts, histograms };
    } finally {
      this.#access.done(bpf);
    }
  }

  #planFor(bpf: Bpf, { fd, opening }: OpenMap): ReadPlan {
    if (this.#plan?.opening !== opening) {
      this.#plan = undefined;
      this.#plan = { opening, ...planOf(bpf, mapInfo(bpf, fd), this.#options) };
    }
    return this.#plan;
  }
}

function planOf(bpf: Bpf, info: MapInfo, options: KernelMapOptions): Omit<ReadPlan, 'opening'> {
  const { layout, shape = {}, histogram = fullName(info, options.path) } = options;
  // The reader comes first: it rejects maps that cannot be read, or are too large.
  const reader = new MapReader(bpf, info, options);
  const resolved = resolveShape(
    info,
    shape,
    layout,
    isComplete(info, shape) ? undefined : typesOf(bpf, info),
  );
  return {
    info,
    reader,
    maker: new HistogramMaker({ name: histogram, info, shape: resolved, layout }),
    counterBits: resolved.counts.type === 'u64' ? 64 : 32,
    origin: originOfMap(programsOfMap(bpf, info.id)),
  };
}

/** The types of a map; `undefined` when it has no types, or this user may not read them. */
function typesOf(bpf: Bpf, { btfId }: MapInfo): readonly BtfType[] | undefined {
  if (btfId === 0) return undefined;
  try {
    return readBtf(bpf, btfId);
  } catch (error) {
    if (errnoOf(error) === 'EPERM') return undefined;
    throw error;
  }
}

/** The name of a map, or of its pin when the kernel may have cut the name to 15 bytes. */
function fullName({ id, name }: MapInfo, path: string | undefined): string {
  const pin = path === undefined ? '' : basename(path);
  if (name === '' || (name.length === 15 && pin.startsWith(name))) return pin || `map_${id}`;
  return name;
}
