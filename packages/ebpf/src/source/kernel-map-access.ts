import { type Stats, statSync } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import { errnoOf } from '../bpf/errors.ts';
import { findMapByName, openMapById, openPinnedMap } from '../bpf/maps.ts';
import type { Bpf } from '../bpf/syscall.ts';

/** How one gets at a map. */
export interface MapAccess {
  readonly description: string;
  /** @throws HdrscopeError `ERR_KERNEL` where it cannot be opened now. */
  open(bpf: Bpf): OpenMap;
  /** The reading is done, for this time. */
  done(bpf: Bpf): void;
  close(bpf: Bpf): void;
}

export interface OpenMap {
  readonly fd: number;
  /** Another one where it may be another map than before. Descriptors cannot tell: their numbers come again. */
  readonly opening: number;
}

/** A loader that replaces its pin while it is opened does so once, not as often as this. */
const MOST_REPLACEMENTS = 10;

/** A map by its pin. It stays open, and the pin is looked at each time: it may lead elsewhere. */
export function pinnedMap(path: string): MapAccess {
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
      throw new HdrscopeError(
        'ERR_KERNEL',
        `${path} is replaced again and again: another map is pinned at each look`,
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
    // Opening it says why.
    return undefined;
  }
}

/** Whether a path leads to the same pin as before: another one has another inode, even of the same map. */
function isSame(pin: Stats, before: Stats | undefined): boolean {
  return before !== undefined && pin.ino === before.ino && pin.dev === before.dev;
}

/** A map by its id or name, open only while it is read: held, it would outlive its program. */
export function foundMap(wanted: { readonly id: number } | { readonly name: string }): MapAccess {
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
        fd = id === undefined ? undefined : openIfThere(bpf, id);
        if (fd === undefined) id = findMapByName(bpf, wantedName);
      }
      fd ??= openMapById(bpf, id!);
      return { fd, opening: id! };
    },
    done,
    close: done,
  };
}

function openIfThere(bpf: Bpf, id: number): number | undefined {
  try {
    return openMapById(bpf, id);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
