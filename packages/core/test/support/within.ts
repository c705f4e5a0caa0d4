import { runInNewContext } from 'node:vm';

/** Runs `action`, and stops it with an error when it takes longer: a hang must fail its test, not the whole run. */
export function within<T>(timeoutMs: number, action: () => T): T {
  return runInNewContext('action()', { action }, { timeout: timeoutMs }) as T;
}
