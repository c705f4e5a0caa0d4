import { HdrscopeError } from '@hdrscope/core';
import { findMapByName, mapInfo, openPinnedMap } from './bpf/maps.ts';
import { loadBpf } from './bpf/syscall.ts';
import { errnoOf } from './errors.ts';
import type { KernelLayout } from './layout/kernel-layout.ts';
import { listMaps, type VisibleMap, visibleMapIds } from './list-maps.ts';
import { type KernelMapOptions, kernelMap } from './source/kernel-map.ts';
import type { Frame, KernelSource } from './source/source.ts';
import { mapIdsOfProcess, namesIn, readTextFile } from './system-files.ts';

/** A map of this machine whose layout is known. */
export interface HostMap extends Pick<VisibleMap, 'id' | 'name' | 'programs'> {
  readonly layout: KernelLayout;
  /** Reads it. A map that has gone since the last look has no histograms. Whoever looks for maps closes it. */
  readonly source: KernelSource;
}

/** What `HostMaps` asks the kernel. */
export interface HostMapsAccess {
  readonly list: typeof listMaps;
  readonly ids: typeof visibleMapIds;
  readonly open: (map: KernelMapOptions) => KernelSource;
}

const THIS_HOST: HostMapsAccess = { list: listMaps, ids: visibleMapIds, open: kernelMap };

/** The maps of this machine that show their layouts, as they come and go. */
export class HostMaps {
  readonly #access: HostMapsAccess;
  readonly #maps = new Map<number, HostMap>();
  /** The newest map of the last list. */
  #newest: number | undefined;
  /** Whether it was the newest one in the list before, too. */
  #isKnown = false;

  constructor(access: HostMapsAccess = THIS_HOST) {
    this.#access = access;
  }

  /**
   * Looks for maps. As long as no map is new, that takes a call of the kernel for each map, and no list.
   *
   * @param signal Ends a list early: see `listMaps`.
   * @returns The maps that have come and gone since the last look, and why there may be others: see `MapList`.
   * @throws HdrscopeError `ERR_KERNEL` when bpf(2) cannot be called at all.
   */
  async look(options: { readonly signal?: AbortSignal } = {}): Promise<{
    readonly came: readonly HostMap[];
    readonly gone: readonly HostMap[];
    readonly incomplete: HdrscopeError | undefined;
  }> {
    const ids = await this.#access.ids();
    const newest = ids?.at(-1);
    if (ids !== undefined && newest === this.#newest && this.#isKnown)
      return { came: [], gone: this.#keep(ids), incomplete: undefined };
    const { maps, incomplete } = await this.#access.list(options);
    // A map is older than the program that fills it and shows its layout, so a list that has a new map is not the last one.
    this.#isKnown = newest === this.#newest;
    this.#newest = newest;
    const gone = this.#keep(maps.map(({ id }) => id));
    const came = maps
      .filter(({ id }) => !this.#maps.has(id))
      .flatMap(({ id, name, programs, known, pins: [path] }): HostMap[] => {
        if (known === undefined) return [];
        const source = emptyWhenGone(
          this.#access.open({ ...(path === undefined ? { id } : { path }), known }),
          id,
        );
        return [{ id, name, programs, layout: known.layout, source }];
      });
    for (const map of came) this.#maps.set(map.id, map);
    return { came, gone, incomplete };
  }

  /** Forgets all maps but those with some ids, and returns them. */
  #keep(ids: readonly number[]): HostMap[] {
    const there = new Set(ids);
    const gone = [...this.#maps.values()].filter(({ id }) => !there.has(id));
    for (const { id } of gone) this.#maps.delete(id);
    return gone;
  }
}

function emptyWhenGone(source: KernelSource, id: number): KernelSource {
  return {
    name: source.name,
    read: async (): Promise<Frame> => {
      try {
        return await source.read();
      } catch (error) {
        if (!(error instanceof HdrscopeError && errnoOf(error) === 'ENOENT')) throw error;
        return { generation: `map ${id}`, cpuCount: 1, counterBits: 64, histograms: [] };
      }
    },
    close: () => source.close(),
  };
}

/** Where a source finds its map. */
export type MapPlace = { readonly path: string } | { readonly id: number } | { readonly name: string };

/** The place that a text names: the path of a pin, `id:N` or `name:X`; `undefined` for `id:` without an id, and `name:` without a name. */
export function parseMapPlace(text: string): MapPlace | undefined {
  const [, kind, rest = ''] = /^(id|name):(.*)$/.exec(text) ?? [];
  if (kind === undefined) return { path: text };
  if (kind === 'name') return rest === '' ? undefined : { name: rest };
  return /^[1-9]\d*$/.test(rest) ? { id: Number(rest) } : undefined;
}

/** The id of the map that is at a place now; `undefined` when this user sees none there. */
export async function findMapId(place: MapPlace): Promise<number | undefined> {
  try {
    const bpf = await loadBpf();
    if ('id' in place) return place.id;
    if ('name' in place) return findMapByName(bpf, place.name);
    const fd = openPinnedMap(bpf, place.path);
    try {
      return mapInfo(bpf, fd).id;
    } finally {
      bpf.close(fd);
    }
  } catch (error) {
    if (error instanceof HdrscopeError) return undefined;
    throw error;
  }
}

/** The ids of the maps that the running scripts of this process hold: those of its children whose name begins with `bpftrace`. */
export function mapIdsOfScripts(): readonly number[] {
  const scripts = listChildren('self').filter((pid) =>
    readTextFile(`/proc/${pid}/comm`).startsWith('bpftrace'),
  );
  return [...new Set(scripts.flatMap(mapIdsOfProcess))];
}

function listChildren(pid: string): readonly string[] {
  const threads = namesIn(`/proc/${pid}/task`);
  return threads.flatMap(
    (thread) => readTextFile(`/proc/${pid}/task/${thread}/children`).match(/\d+/g) ?? [],
  );
}
