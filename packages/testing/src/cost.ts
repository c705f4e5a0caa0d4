/** The resources that an action takes. */
export interface Cost<T> {
  readonly result: T;
  /** Time of the processor, which does not grow while other processes keep the machine busy. */
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
