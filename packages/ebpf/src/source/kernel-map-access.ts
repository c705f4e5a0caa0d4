import { type Stats, statSync } from 'node:fs';
import { findMapByName, openMapById, openMapIfThere, openPinnedMap } from '../bpf/maps.ts';
import type { Bpf } from '../bpf/syscall.ts';
import { kernelError } from '../errors.ts';

/** How a map is opened for each `read`. */
export interface MapAccess {
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
export interface OpenMap {
  readonly fd: number;
  /** Changes when this may be another map than before. Descriptors do not show that, because the kernel reuses them. */
  readonly opening: number;
}

/** A loader replaces its pin once while a reader opens it, not this often. */
const MOST_REPLACEMENTS = 10;

/** A map by its pin. The map stays open. Each `open` checks whether the pin still leads to it. */
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
