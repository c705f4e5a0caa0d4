/** How long the other work of a process waits. */

/**
 * Runs an action, and meanwhile takes turns in the event loop as often as possible. An idle loop turns every few
 * microseconds, so that is the resolution. Garbage collections count too.
 *
 * @param {() => Promise<unknown>} action
 * @returns {Promise<number>} the longest time between two turns, in nanoseconds
 */
export async function longestBlock(action) {
  let longestMs = 0;
  let running = true;
  let lastMs = performance.now();
  const turn = () => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await action();
  await nextTurn();
  running = false;
  return longestMs * 1e6;
}

/**
 * The 99th percentile, by nearest rank, of the longest blocks of several actions.
 *
 * @param {number} times
 * @param {() => void} prepare runs before each action and does not count
 * @param {() => Promise<unknown>} action
 */
export async function blockPercentile(times, prepare, action) {
  /** @type {number[]} */
  const blocks = [];
  while (blocks.length < times) {
    prepare();
    await nextTurn();
    blocks.push(await longestBlock(action));
  }
  blocks.sort((a, b) => a - b);
  return /** @type {number} */ (blocks[Math.ceil(0.99 * times) - 1]);
}

function nextTurn() {
  return new Promise((resolve) => setImmediate(resolve));
}
