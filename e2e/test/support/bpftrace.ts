import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Lack, lack, lackOfProgram } from '@hdrscope/testing';

/** The counters of each map of a script, by their keys. */
export type BpftraceCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A script of bpftrace that is attached. */
export interface Tracing {
  /** Detaches it, and returns what it has counted. */
  end(): Promise<BpftraceCounts>;
}

/** In a mount namespace of its own, bpftrace finds the tracepoints, and no mount of this machine changes. */
const WITH_TRACEFS = 'mount -t tracefs nodev /sys/kernel/tracing; exec bpftrace -f json -e "$1"';

/** No script can be attached to a tracepoint here. `undefined` where one can. */
export function lackOfTracing(): Lack | undefined {
  const missing = lackOfProgram('bpftrace');
  if (missing !== undefined) return missing;
  const script = 'tracepoint:sched:sched_switch { exit(); }';
  const { status, stderr, error } = spawnSync('unshare', ['-m', 'sh', '-c', WITH_TRACEFS, 'sh', script], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const reason = `bpftrace does not run here: ${error?.message ?? stderr.trim()}`;
  return lack('kernel', status === 0 ? undefined : reason);
}

/** The last probe of a script: it prints when all other ones are attached, which bpftrace does in their order. */
const READY = 'interval:ms:50 { printf("ready"); }';

/** Attaches a script, and resolves when it counts. */
export async function trace(script: string): Promise<Tracing> {
  const child = spawn('unshare', ['-m', 'sh', '-c', WITH_TRACEFS, 'sh', `${script} ${READY}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, BPFTRACE_MAP_KEYS_MAX: '65536' },
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const counts: Record<string, Record<string, number>> = {};
  const exited = once(child, 'close');
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{')) return;
      const { type, data } = JSON.parse(line) as { type: string; data: BpftraceCounts };
      if (type === 'printf') resolve();
      if (type === 'map') Object.assign(counts, data);
    });
    exited.then(() => reject(new Error(`bpftrace has ended: ${errors}`)), reject);
  });
  return {
    end: async () => {
      child.kill('SIGINT');
      await exited;
      return counts;
    },
  };
}
