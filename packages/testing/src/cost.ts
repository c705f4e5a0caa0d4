/** The resources that an action takes. */
export interface Cost<T> {
  readonly result: T;
  /** Time of the processor. Waiting for a busy machine is no part of it, but see {@link slowdown}. */
  readonly cpuMs: number;
  /** Growth of the memory of the process, in MiB. */
  readonly grownMib: number;
}

export function costOf<T>(action: () => T): Cost<T> {
  const [cpu, memory] = [process.cpuUsage(), process.memoryUsage()];
  const result = action();
  const { user, system } = process.cpuUsage(cpu);
  const grown = process.memoryUsage().rss - memory.rss;
  return { result, cpuMs: (user + system) / 1000, grownMib: grown / 2 ** 20 };
}

/** What {@link slowdown} measures where nothing else runs: 12 to 18 ms. */
const USUAL_MS = 15;

/**
 * How many times more processor time this machine needs than usual, at least 1. Other processes share its caches and the units of its
 * cores, so a full machine can need several times as much.
 */
export function slowdown(): number {
  const text = JSON.stringify(
    Array.from({ length: 20_000 }, (_, i) => ({ a: i, b: [i, i * 2], c: `x${i}` })),
  );
  const times = Array.from({ length: 9 }, () => costOf(() => JSON.parse(text)).cpuMs).sort((a, b) => a - b);
  return Math.max(1, times[4]! / USUAL_MS);
}
