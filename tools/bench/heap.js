/** The memory that is in use after a garbage collection. */

/** Bytes of reachable objects: in the JavaScript heap, and in the array buffers outside it. Needs `--expose-gc`. */
export async function liveBytes() {
  if (!globalThis.gc) throw new Error('needs --expose-gc');
  // A task after the collection frees the backing stores, so this collects before and after one.
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
