import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

// Each line of a busy writer is an event.
const SHORTEST_WAIT_MS = 10;

/** Waits for changes of a path: until the system reports one, or for a while, because not every file system reports them. */
export class PathWatch {
  readonly #path: string;
  #watcher: FSWatcher | undefined;
  #hasChanged = false;
  #onChange = ignored;

  constructor(path: string) {
    this.#path = path;
    const name = basename(path);
    try {
      this.#watcher = watch(dirname(path), { persistent: false }, (_, changed) => {
        if (changed !== null && changed !== name) return;
        this.#hasChanged = true;
        this.#onChange();
      });
      this.#watcher.once('error', () => this.close());
    } catch {
      // There are too many watches, or the directory does not exist: polling remains.
    }
  }

  get path(): string {
    return this.#path;
  }

  /** Resolves after this time, soon after a change, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const soonMs = Math.min(SHORTEST_WAIT_MS, ms);
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#onChange = ignored;
        resolve();
      };
      let timer = setTimeout(end, this.#hasChanged ? soonMs : ms);
      if (!this.#hasChanged) {
        this.#onChange = () => {
          this.#onChange = ignored;
          clearTimeout(timer);
          timer = setTimeout(end, soonMs);
        };
      }
      signal.addEventListener('abort', end, { once: true });
    });
    this.#hasChanged = false;
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}

function ignored(): void {}
