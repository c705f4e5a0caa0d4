import { basename } from 'node:path';
import { HdrscopeError, mustBe } from '@hdrscope/core';
import { type BtfType, readBtf } from '../bpf/btf.ts';
import { errnoOf } from '../bpf/errors.ts';
import { MapReader } from '../bpf/map-reader.ts';
import { type MapInfo, mapInfo } from '../bpf/maps.ts';
import { type Bpf, loadBpf } from '../bpf/syscall.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { foundMap, type MapAccess, type OpenMap, pinnedMap } from './kernel-map-access.ts';
import { HistogramMaker } from './kernel-map-histograms.ts';
import { isComplete, type MapShape, resolveShape } from './kernel-map-shape.ts';
import type { Frame, KernelSource } from './source.ts';

/** Which map is read, and how: one of `path`, `id` and `name` says which. */
export interface KernelMapOptions {
  /** Where it is pinned. Without any capability that can be read whose pin has the mode 0444. */
  readonly path?: string;
  /** Its number, which takes CAP_SYS_ADMIN. */
  readonly id?: number;
  /** Its name, of which the kernel keeps 15 bytes and which must be the only one; it takes CAP_SYS_ADMIN. */
  readonly name?: string;
  /** How its program numbers the slots. */
  readonly layout: KernelLayout;
  /** Where in it the counts are. @default what its types and sizes tell */
  readonly shape?: MapShape;
  /** The name of the histograms. @default that of the map; in full that of the pin, where it begins so */
  readonly histogram?: string;
  /** The most memory that reading may take. @default 64 MiB */
  readonly maxBytes?: number;
  /** Whether to read many entries by one call, where the kernel can do it. @default true */
  readonly batch?: boolean;
  /** The way to the kernel. @default koffi */
  readonly bpf?: Bpf;
}

/**
 * The histograms in a map of the kernel: `array`, `hash`, `percpu_array`, `percpu_hash` and the `lru_` ones, as programs
 * of libbpf, bcc, bpftrace and Aya make them. The map is opened for reading only, and is left as it is.
 *
 * A pin is looked at each time: where it leads to another map, that is a new generation. By `id` and `name` the map is
 * held only while it is read, so it goes when its program does; the next one of that `name` is a new generation.
 *
 * An `lru_` map drops what was not used for long when it is full, and says nothing: its totals are lossy.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 * @example
 * ```ts no-run needs a map that is pinned
 * import { kernelMap, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const source = kernelMap({ path: '/sys/fs/bpf/queue_hist', layout: queueDepthLayout() });
 * const { histograms } = await source.read();
 * histograms[0]?.counts; // of each slot on the first CPU, then on the second
 * await source.close();
 * ```
 */
export function kernelMap(options: KernelMapOptions): KernelSource {
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

/** What was found out about the map that is read now. */
interface Known {
  readonly opening: number;
  readonly info: MapInfo;
  readonly reader: MapReader;
  readonly maker: HistogramMaker;
  readonly counterBits: 32 | 64;
}

class KernelMap implements KernelSource {
  readonly name: string;
  readonly #options: KernelMapOptions;
  readonly #access: MapAccess;
  #bpf: Bpf | undefined;
  #known: Known | undefined;
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
    this.#known = undefined;
    if (this.#bpf !== undefined) this.#access.close(this.#bpf);
  }

  #readBy(bpf: Bpf): Frame {
    if (this.#isClosed)
      throw new HdrscopeError('ERR_KERNEL', `${this.name} was closed: make another source of it`);
    const open = this.#access.open(bpf);
    try {
      const { info, reader, maker, counterBits } = this.#know(bpf, open);
      const histograms = maker.make(reader, reader.read(open.fd));
      // No other map has had that id, and counts stay with their map when it is pinned elsewhere.
      return { generation: `map ${info.id}`, cpuCount: reader.cpuCount, counterBits, histograms };
    } finally {
      this.#access.done(bpf);
    }
  }

  #know(bpf: Bpf, { fd, opening }: OpenMap): Known {
    if (this.#known?.opening !== opening) {
      this.#known = undefined;
      this.#known = { opening, ...examine(bpf, mapInfo(bpf, fd), this.#options) };
    }
    return this.#known;
  }
}

function examine(bpf: Bpf, info: MapInfo, options: KernelMapOptions): Omit<Known, 'opening'> {
  const { layout, shape = {}, histogram = fullName(info, options.path) } = options;
  // Before all else: it says where a map is none that can be read, or is too large.
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
  };
}

/** The types of a map, where it has some that this user may read. */
function typesOf(bpf: Bpf, { btfId }: MapInfo): readonly BtfType[] | undefined {
  if (btfId === 0) return undefined;
  try {
    return readBtf(bpf, btfId);
  } catch (error) {
    if (errnoOf(error) === 'EPERM') return undefined;
    throw error;
  }
}

/** A name of 15 bytes may have been longer, and its pin is called as it was. */
function fullName({ id, name }: MapInfo, path: string | undefined): string {
  const pin = path === undefined ? '' : basename(path);
  if (name === '' || (name.length === 15 && pin.startsWith(name))) return pin || `map_${id}`;
  return name;
}
