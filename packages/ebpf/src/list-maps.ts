import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { type MapInfo, mapIds, mapInfo, openMapById, openPinnedMap } from './bpf/maps.ts';
import { type Bpf, loadBpf } from './bpf/syscall.ts';
import { errnoOf } from './errors.ts';
import { guessLayout, type LayoutGuess } from './guess-layout.ts';

/** A map of the kernel that this user can see. */
export interface VisibleMap {
  readonly id: number;
  /** `percpu_array`; `undefined` for a type that holds no histograms. */
  readonly type: string | undefined;
  /** The first 15 bytes of its name. */
  readonly name: string;
  readonly keySize: number;
  readonly valueSize: number;
  readonly maxEntries: number;
  /** Where it is pinned, in every bpffs that this process sees. */
  readonly pins: readonly string[];
  /** What its histograms may be; `undefined` where it does not look like any. */
  readonly guess: LayoutGuess | undefined;
}

export interface MapList {
  /** In the order of their ids. */
  readonly maps: readonly VisibleMap[];
  /** Why there may be others: listing all takes CAP_SYS_ADMIN, and without it only pins are found. */
  readonly incomplete: HdrscopeError | undefined;
}

/**
 * The maps that this user can see, and what they may be. It opens each for reading, and changes nothing.
 *
 * @throws HdrscopeError `ERR_KERNEL` where bpf(2) cannot be called at all.
 */
export async function listMaps({ bpf }: { readonly bpf?: Bpf } = {}): Promise<MapList> {
  const way = bpf ?? (await loadBpf());
  const found = new Map<number, { readonly info: MapInfo; readonly pins: string[] }>();
  const add = (fd: number, pin?: string): void => {
    try {
      const info = mapInfo(way, fd);
      const known = found.get(info.id) ?? { info, pins: [] };
      if (pin !== undefined) known.pins.push(pin);
      found.set(info.id, known);
    } finally {
      way.close(fd);
    }
  };
  let incomplete: HdrscopeError | undefined;
  try {
    for (const id of mapIds(way)) {
      const fd = unlessRefused(() => openMapById(way, id), ['ENOENT']);
      if (fd !== undefined) add(fd);
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    incomplete = error;
  }
  for (const pin of pathsInBpffs()) {
    // Programs and links are pinned too, and not every map may be read.
    const fd = unlessRefused(() => openPinnedMap(way, pin), undefined);
    if (fd !== undefined) add(fd, pin);
  }
  const maps = [...found.values()]
    .sort((a, b) => a.info.id - b.info.id)
    .map(({ info, pins }): VisibleMap => {
      const { id, type, name, keySize, valueSize, maxEntries } = info;
      return { id, type, name, keySize, valueSize, maxEntries, pins: pins.sort(), guess: guessLayout(info) };
    });
  return { maps, incomplete };
}

/** @param expected The refusals that are no failure; all of them where it is `undefined`. */
function unlessRefused(open: () => number, expected: readonly string[] | undefined): number | undefined {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    if (expected === undefined || expected.includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function pathsInBpffs(): readonly string[] {
  const mounts = mountsOfBpffs(readFileSync('/proc/self/mountinfo', 'utf8'));
  return [...new Set(mounts.flatMap(filesBelow))];
}

/** The folders where a bpffs is mounted, of `/proc/self/mountinfo`. */
export function mountsOfBpffs(mountinfo: string): readonly string[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const path = before.split(' ')[4];
    if (!after.startsWith('bpf ') || path === undefined) return [];
    // Blanks and the like are written as octal numbers. Source: proc(5).
    return [path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))];
  });
}

function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      // Both are iterators that every bpffs has.
      return entry.isFile() && !/^(maps|progs)\.debug$/.test(entry.name) ? [path] : [];
    });
  } catch {
    return [];
  }
}
