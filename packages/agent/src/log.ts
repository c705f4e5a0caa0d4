/** Logs events of the agent, a line for each. */
export interface AgentLog {
  info(line: string): void;
  /** Logs a problem that may recur: at most one line per key in half a minute, with the number of those left out. */
  problem(key: string, line: string): void;
}

const QUIET_MS = 30_000;

export function createLog(write: (line: string) => void, nowMs: () => number): AgentLog {
  const logged = new Map<string, { atMs: number; more: number }>();
  return {
    info: write,
    problem(key, line) {
      const before = logged.get(key);
      const now = nowMs();
      if (before !== undefined && now - before.atMs < QUIET_MS) {
        before.more++;
        return;
      }
      logged.set(key, { atMs: now, more: 0 });
      const more = before?.more ?? 0;
      write(more === 0 ? line : `${line} (and ${more} more before that)`);
    },
  };
}
