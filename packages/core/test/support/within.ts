import { runInNewContext } from 'node:vm';

/** Runs `action`, and ends it with an error when it takes longer. A hang fails its test, and not the whole run. */
export function within<T>(timeoutMs: number, action: () => T): T {
  return runInNewContext('action()', { action }, { timeout: timeoutMs }) as T;
}
