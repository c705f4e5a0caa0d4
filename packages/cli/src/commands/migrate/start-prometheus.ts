import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../command.ts';

/** A Prometheus that this process has started, with an empty store in a folder of its own. */
export interface StartedPrometheus {
  readonly url: URL;
  /** Ends the process, and removes its folder. */
  close(): Promise<void>;
}

const READY_MS = 60_000;
const POLL_MS = 50;
/** The end of the output that says why a program does not start. */
const MOST_OUTPUT = 2000;

/**
 * Starts a Prometheus on a free port of this machine that takes remote write.
 *
 * @param oldest How far before others samples may be that come after them, as in `0s`, which takes the least time.
 * @throws Refusal when there is no such program, or it does not become ready; the reason of the signal.
 */
export async function startPrometheus(
  program: string,
  oldest: string,
  signal: AbortSignal,
): Promise<StartedPrometheus> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), 'hdrscope-prometheus-'));
  const configuration = { storage: { tsdb: { out_of_order_time_window: oldest } } };
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(configuration));
  const child = spawn(program, listArguments(folder), { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  const abandon = (): void => {
    kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  // Not even an end in the middle of work, as by a second Ctrl-C, leaves the process or its folder behind.
  process.once('exit', abandon);
  signal.addEventListener('abort', kill, { once: true });
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', kill);
    await end(child);
    await rm(folder, { recursive: true, force: true });
    process.off('exit', abandon);
  };
  try {
    return { url: await waitUntilReady(child, program, signal), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function listArguments(folder: string): string[] {
  return [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
    '--web.enable-remote-write-receiver',
    '--enable-feature=native-histograms,promql-experimental-functions',
  ];
}

async function end(child: ChildProcess): Promise<void> {
  // A process that could not be started has neither an id nor an exit.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** The address is in the log, since the system has chosen the port. */
async function waitUntilReady(child: ChildProcess, program: string, signal: AbortSignal): Promise<URL> {
  let output = '';
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-64 * MOST_OUTPUT);
  });
  const startMs = performance.now();
  for (;;) {
    signal.throwIfAborted();
    if (failure !== undefined) throw describeFailure(program, failure);
    const isOver = performance.now() - startMs > READY_MS;
    if (isOver || child.exitCode !== null || child.signalCode !== null) {
      const how = isOver ? `is not ready after ${READY_MS / 1000} s` : 'has ended at once';
      throw new Refusal(`${program} ${how}: ${output.trim().slice(-MOST_OUTPUT)}`);
    }
    // The last line may have come in part.
    const lines = output.split('\n').slice(0, -1);
    const line = lines.find((text) => text.includes('Listening on'));
    const address = line === undefined ? undefined : /address=(127\.0\.0\.1:\d+)/.exec(line)?.[1];
    if (address !== undefined && (await isReady(`http://${address}/-/ready`)))
      return new URL(`http://${address}`);
    await sleep(POLL_MS, undefined, { signal });
  }
}

function describeFailure(program: string, cause: Error): Refusal {
  const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
  const reason = isMissing ? 'no such program' : cause.message;
  const cure = 'install Prometheus 3, or name its program: --prometheus-program PATH';
  return new Refusal(`--generate needs the program ${program}: ${reason}: ${cure}`, { cause });
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
}
