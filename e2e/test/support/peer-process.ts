import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export { freePort } from '@hdrscope/testing/free-port';

/** Every peer is killed after this time, even if its test and the process that runs it die. */
const DEADLINE_SECONDS = 180;
const READY_MS = 90_000;

/** A running peer with its own folder. */
export interface PeerProcess {
  readonly folder: string;
  /** The output so far. */
  output(): string;
  /** Sends a signal to the peer, which may stop, go on or end. */
  signal(name: NodeJS.Signals): void;
  /** Resolves when the peer has ended. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

const running = new Set<PeerProcess>();

/** Creates a folder for the files of a peer. Stopping the peer removes it. */
export function createFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'hdrscope-peer-'));
}

/** How a peer is started. */
interface PeerOptions {
  readonly folder: string;
  readonly isReady: (output: string) => boolean | Promise<boolean>;
  /** @default 90_000 */
  readonly readyMs?: number;
  /** It is killed after this time. @default 180 */
  readonly deadlineSeconds?: number;
}

/** Starts a program in its own folder and waits until it is ready. */
export async function startPeer(
  program: string,
  args: readonly string[],
  { folder, isReady, readyMs = READY_MS, deadlineSeconds = DEADLINE_SECONDS }: PeerOptions,
): Promise<PeerProcess> {
  const child = spawn('timeout', ['--signal=KILL', `${deadlineSeconds}`, program, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group, so that both processes can be killed together.
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
    signal: (name) => void process.kill(-child.pid!, name),
    async ended() {
      if (!hasEnded(child)) await once(child, 'exit');
    },
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
        if (hasEnded(child)) throw new Error('the program has ended');
        return isReady(output);
      },
      { timeoutMs: readyMs, what: 'a peer that is ready' },
    );
  } catch (error) {
    await peer.stop();
    throw new Error(`${program} did not start: ${error}\n${output}`);
  }
  return peer;
}

/** Stops all peers that are still running. */
export async function stopPeers(): Promise<void> {
  await Promise.all([...running].map((peer) => peer.stop()));
}

/** Asks repeatedly until the answer is neither `false` nor `undefined`. */
export async function waitFor<Answer>(
  ask: () => Answer | Promise<Answer>,
  { timeoutMs = 60_000, what }: { timeoutMs?: number; what: string },
): Promise<Exclude<Answer, false | undefined>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer as Exclude<Answer, false | undefined>;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms without success for ${what}`);
    await sleep(50);
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Kills the process group at once, because its files are removed too. */
async function end(child: ChildProcess): Promise<void> {
  // A process that could not be started has neither an id nor an exit.
  if (child.pid === undefined || hasEnded(child)) return;
  const exit = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await exit;
}
