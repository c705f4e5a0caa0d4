import { chmodSync, rmSync, statSync } from 'node:fs';
import { mustBe } from '@hdrscope/core/internal';

/** Pins that are removed together with the object that they hold. */
export class Pins {
  /** Inodes by path. A file with another inode at the path is not ours. */
  readonly #inodes = new Map<string, number>();

  /**
   * Makes a pin, and sets its permissions.
   *
   * @param pin Pins the object to the path, or throws.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the mode is outside [0, 0o777].
   */
  add(path: string, mode: number, pin: () => void): void {
    if (!Number.isInteger(mode) || mode < 0 || mode > 0o777) {
      throw mustBe('ERR_INVALID_OPTION', 'mode', 'an integer from 0 to 0o777', mode);
    }
    pin();
    this.#inodes.set(path, statSync(path).ino);
    chmodSync(path, mode);
  }

  /** Removes all pins that are still in place. */
  removeAll(): void {
    for (const [path, inode] of this.#inodes) {
      if (statSync(path, { throwIfNoEntry: false })?.ino === inode) rmSync(path);
    }
    this.#inodes.clear();
  }
}
