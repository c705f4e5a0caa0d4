import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** No peer outlives this, whatever becomes of its test and of the process that runs it. */
const DEADLINE_SECONDS = 180;
const READY_MS = 90_000;

/** A peer that is running, with a folder of its own. */
export interface PeerProcess {
  readonly folder: string;
  /** All that it has printed so far. */
  output(): string;
  stop(): Promise<void>;
}

const running = new Set<PeerProcess>();

/** A new folder for what a peer reads and writes. It goes when the peer is stopped. */
export function createFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'hdrscope-peer-'));
}

/** A port of the loopback interface that was free just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a program in a folder of its own, and waits until it is ready. */
export async function startPeer(
  program: string,
  args: readonly string[],
  { folder, isReady }: { folder: string; isReady: (output: string) => boolean | Promise<boolean> },
): Promise<PeerProcess> {
  const child = spawn('timeout', ['--signal=KILL', `${DEADLINE_SECONDS}`, program, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that both can be killed at once.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const peer: PeerProcess = {
    folder,
    output: () => output,
    async stop() {
      running.delete(peer);
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
  running.add(peer);
  try {
    await waitFor(
      () => {
        if (hasEnded(child)) throw new Error('it has ended');
        return isReady(output);
      },
      { timeoutMs: READY_MS, what: 'a peer that is ready' },
    );
  } catch (error) {
    await peer.stop();
    throw new Error(`${program} did not start: ${error}\n${output}`);
  }
  return peer;
}

/** No test leaves a peer behind. */
export async function stopPeers(): Promise<void> {
  await Promise.all([...running].map((peer) => peer.stop()));
}

/** Asks again and again, until the answer is neither `false` nor `undefined`. */
export async function waitFor<Answer>(
  ask: () => Answer | Promise<Answer>,
  { timeoutMs = 60_000, what }: { timeoutMs?: number; what: string },
): Promise<Exclude<Answer, false | undefined>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer as Exclude<Answer, false | undefined>;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(50);
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** At once: what it has written goes as well. */
async function end(child: ChildProcess): Promise<void> {
  // One that could not be started has no id, and no exit.
  if (child.pid === undefined || hasEnded(child)) return;
  const exit = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await exit;
}
