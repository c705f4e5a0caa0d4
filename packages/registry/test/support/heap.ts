import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectGarbage: () => void = runInNewContext('gc');

/** Bytes of the heap that are still reachable. */
export function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
