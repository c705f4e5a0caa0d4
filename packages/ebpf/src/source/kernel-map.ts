import { type Stats, statSync } from 'node:fs';
import { custom, flag, having, integer, type OptionRules, optional } from '@hdrscope/core/internal';
import { findMapByName, openMapById, openMapIfThere, openPinnedMap } from '../bpf/maps.ts';
import { type Bpf, loadBpf } from '../bpf/syscall.ts';
import { kernelError } from '../errors.ts';
import { type KernelLayout, kernelLayout } from '../layout/kernel-layout.ts';
import { type MapPlan, planMap } from './kernel-map-plan.ts';
import { type KnownLayout, MAP_RULES, type MapShape, readMapOptions } from './map-shape.ts';
import type { Frame, KernelSource } from './source.ts';

/** Which map is read, and how. Exactly one of `path`, `id` and `name` chooses the map. */
export interface KernelMapOptions {
  /** Path of its pin. Reading a pin of mode 0444 takes no capability. */
  readonly path?: string;
  /** Its id. This takes CAP_SYS_ADMIN. */
  readonly id?: number;
  /**
   * Its name, which no other map may have. The kernel keeps 15 bytes of it, and the types of the map have the rest. This
   * takes CAP_SYS_ADMIN.
   */
  readonly name?: string;
  /**
   * Slots of the histograms, and the indices at which the program counts them. @default what a type of the map states, the
   * script of the bpftrace that fills it, or the instructions of the programs that count in it, which takes CAP_SYS_ADMIN and
   * CAP_SYSLOG; any other map is refused, whatever its name is
   */
  readonly layout?: KernelLayout;
  /** Position of the counts in the map. @default what its types and sizes show */
  readonly shape?: MapShape;
  /** Name of the histograms. @default the name of the map, from its types or its pin when the kernel has cut it */
  readonly histogram?: string;
  /** Largest size of the memory for reading, in bytes: an integer of at least 1. A larger map is refused. @default 64 MiB */
  readonly maxBytes?: number;
  /** Whether one call reads many entries, on kernels that can do so. @default true */
  readonly batch?: boolean;
  /** @internal What `listMaps` has found for this map. @default what the map shows */
  readonly known?: KnownLayout;
  /** @internal Access to the kernel, which tests replace. @default through koffi */
  readonly bpf?: Bpf;
}

/**
 * Reads the histograms in a kernel map of the type `array`, `hash`, `percpu_array`, `percpu_hash`, `lru_hash` or
 * `lru_percpu_hash`, as programs of libbpf, bcc, bpftrace and Aya make them, or in the maps of an `array_of_maps` or
 * `hash_of_maps`. It opens the map for reading only.
 *
 * A map whose layout or shape contradicts its own numbers is refused: counts at an index without a slot, or a sum that its
 * slots cannot have.
 *
 * With `path`, each `read` checks the pin, and another map at the pin is a new generation. With `id` or `name`, the map is
 * open only during a `read`, so it ends with its program. The next map of that `name` is a new generation.
 *
 * A full `lru_` map drops its least recently used entries without notice, so its totals are lossy.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, `id` or `maxBytes` is not an integer above 0, or not
 *   exactly one option chooses the map. `read` throws `ERR_KERNEL` when the map cannot be read now, and `ERR_TOO_LARGE` when it
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
  const { path, id, name } = readMapOptions(options, KERNEL_MAP);
  if (path !== undefined) return new KernelMap(options, pinnedMap(path));
  return new KernelMap(options, foundMap(name === undefined ? { id: id! } : { name }));
}

const knownLayout = custom<KnownLayout>('a layout that listMaps has found', (value) =>
  kernelLayout.accepts((value as Partial<KnownLayout> | null)?.layout),
);

const KERNEL_MAP = {
  name: 'kernelMap',
  rules: {
    ...MAP_RULES,
    layout: optional(kernelLayout),
    maxBytes: optional(integer({ from: 1 })),
    batch: optional(flag),
    known: optional(knownLayout),
    bpf: optional(having<Bpf>('access to bpf(2)', 'call', 'address', 'close')),
  } satisfies OptionRules<KernelMapOptions>,
  call: "kernelMap({ path: '/sys/fs/bpf/queue_hist', layout: queueDepthLayout() })",
};

class KernelMap implements KernelSource {
  readonly name: string;
  readonly #options: KernelMapOptions;
  readonly #access: MapAccess;
  #bpf: Bpf | undefined;
  readonly #closing = new AbortController();
  #planned: { readonly opening: number; readonly plan: MapPlan } | undefined;
  /** Resolves at the end of a read that takes more than a turn. */
  #running: Promise<void> | undefined;

  constructor(options: KernelMapOptions, access: MapAccess) {
    this.name = `the map ${access.description}`;
    this.#options = options;
    this.#access = access;
    this.#bpf = options.bpf;
  }

  /** The first read follows programs, and returns a promise, as those of maps of maps do. A map by its id is open during one read. */
  read(): Frame | Promise<Frame> {
    if (this.#running !== undefined) return this.#running.then(() => this.read());
    const frame = this.#bpf === undefined ? this.#load() : this.#readNow(this.#bpf);
    if (!(frame instanceof Promise)) return frame;
    const end = () => {
      this.#running = undefined;
    };
    this.#running = frame.then(end, end);
    return frame;
  }

  close(): void {
    this.#closing.abort(kernelError(`${this.name} is closed: make another source for it`));
    // A plan holds the memory of its reader.
    this.#planned = undefined;
    if (this.#bpf !== undefined) this.#access.close(this.#bpf);
  }

  async #load(): Promise<Frame> {
    this.#bpf = await loadBpf();
    return this.#readNow(this.#bpf);
  }

  #readNow(bpf: Bpf): Frame | Promise<Frame> {
    this.#closing.signal.throwIfAborted();
    const open = this.#access.open(bpf);
    const done = () => this.#access.done(bpf);
    let frame: Frame | Promise<Frame> | undefined;
    try {
      const { opening, plan } = this.#planned ?? {};
      frame = opening === open.opening ? plan!.read(open.fd) : this.#planAndRead(bpf, open);
      return frame instanceof Promise ? frame.finally(done) : frame;
    } finally {
      if (!(frame instanceof Promise)) done();
    }
  }

  async #planAndRead(bpf: Bpf, { fd, opening }: OpenMap): Promise<Frame> {
    const { signal } = this.#closing;
    this.#planned = undefined;
    const plan = await planMap(bpf, fd, { ...this.#options, signal });
    // After `close`, the descriptor may be that of another file.
    signal.throwIfAborted();
    this.#planned = { opening, plan };
    return plan.read(fd);
  }
}

/** How a map is opened for each `read`. */
interface MapAccess {
  /** The map as messages name it. */
  readonly description: string;
  /** @throws HdrscopeError `ERR_KERNEL` when the map cannot be opened now. */
  open(bpf: Bpf): OpenMap;
  /** Called after each `read`. */
  done(bpf: Bpf): void;
  /** Called once, when the source is closed. */
  close(bpf: Bpf): void;
}

/** An open map. */
interface OpenMap {
  readonly fd: number;
  /** Changes when this may be another map than before. Descriptors do not show that, because the kernel reuses them. */
  readonly opening: number;
}

/** A loader replaces its pin once while a reader opens it, not this often. */
const MOST_REPLACEMENTS = 10;

/** A map by its pin. The map stays open. Each `open` checks whether the pin still leads to it. */
function pinnedMap(path: string): MapAccess {
  let held: (OpenMap & { readonly pin: Stats | undefined }) | undefined;
  let openings = 0;
  const close = (bpf: Bpf): void => {
    if (held !== undefined) bpf.close(held.fd);
    held = undefined;
  };
  return {
    description: path,
    open(bpf) {
      for (let i = 0; i < MOST_REPLACEMENTS; i++) {
        const pin = pinAt(path);
        if (held !== undefined && pin !== undefined && isSame(pin, held.pin)) return held;
        close(bpf);
        held = { fd: openPinnedMap(bpf, path), opening: ++openings, pin };
      }
      throw kernelError(
        `${path} must lead to one map, and each of ${MOST_REPLACEMENTS} attempts found another pin`,
        {
          path,
        },
      );
    },
    done: () => {},
    close,
  };
}

const IF_THERE = { throwIfNoEntry: false } as const;

function pinAt(path: string): Stats | undefined {
  try {
    return statSync(path, IF_THERE);
  } catch {
    // `openPinnedMap` reports the reason.
    return undefined;
  }
}

/** Whether the path leads to the same pin as before. Another pin has another inode, even for the same map. */
function isSame(pin: Stats, before: Stats | undefined): boolean {
  return before !== undefined && pin.ino === before.ino && pin.dev === before.dev;
}

/** A map by its id or name. It is open only during a `read`, because an open map would outlive its program. */
function foundMap(wanted: { readonly id: number } | { readonly name: string }): MapAccess {
  const wantedName = 'name' in wanted ? wanted.name : undefined;
  let id = 'id' in wanted ? wanted.id : undefined;
  let fd: number | undefined;
  const done = (bpf: Bpf): void => {
    if (fd !== undefined) bpf.close(fd);
    fd = undefined;
  };
  return {
    description: wantedName ?? `with the id ${id}`,
    open(bpf) {
      if (wantedName !== undefined) {
        fd = id === undefined ? undefined : openMapIfThere(bpf, id);
        if (fd === undefined) id = findMapByName(bpf, wantedName);
      }
      fd ??= openMapById(bpf, id!);
      return { fd, opening: id! };
    },
    done,
    close: done,
  };
}
