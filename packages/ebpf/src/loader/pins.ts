import { chmodSync, rmSync, statSync } from 'node:fs';
import { mustBe } from '@hdrscope/core';

/** The paths that something loaded was given, and that go with it. */
export class Pins {
  /** The inode of each: what else is there by then belongs to others. */
  readonly #inodes = new Map<string, number>();

  /** @param pin Gives the path to it, and throws where it cannot. */
  add(path: string, mode: number, pin: () => void): void {
    if (!Number.isInteger(mode) || mode < 0 || mode > 0o777) {
      throw mustBe('ERR_INVALID_OPTION', 'mode', 'an integer from 0 to 0o777', mode);
    }
    pin();
    this.#inodes.set(path, statSync(path).ino);
    chmodSync(path, mode);
  }

  removeAll(): void {
    for (const [path, inode] of this.#inodes) {
      if (statSync(path, { throwIfNoEntry: false })?.ino === inode) rmSync(path);
    }
    this.#inodes.clear();
  }
}
