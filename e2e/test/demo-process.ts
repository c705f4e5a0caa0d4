import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const workspaceFolder = join(import.meta.dirname, '../..');

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running demo and its output so far. */
export interface DemoProcess {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when standard output matches. Rejects when the demo ends before that. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  readonly exit: Promise<Exit>;
}

const running = new Set<ChildProcess>();

/** Starts the built demo. */
export function startDemo(...args: string[]): DemoProcess {
  return watch(spawn(process.execPath, [join(workspaceFolder, 'packages/demo/dist/main.js'), ...args]));
}

/** Starts the demo with npm, like a newcomer. */
export function npmStart(...args: string[]): DemoProcess {
  return watch(spawn('npm', ['start', '--', ...args], { cwd: workspaceFolder }));
}

/** Ends all demos that are still running. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      child.kill('SIGKILL');
      return once(child, 'exit');
    }),
  );
}

function watch(child: ChildProcess): DemoProcess {
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  // 'close' comes when all of the output has been read.
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exit,
    async printed(pattern) {
      let hasEnded = false;
      for (;;) {
        const found = pattern.exec(stdout);
        if (found !== null) return found;
        if (hasEnded) throw new Error(`the demo ended without printing ${pattern}:\n${stdout}${stderr}`);
        await Promise.race([
          once(child.stdout!, 'data'),
          exit.then(() => {
            hasEnded = true;
          }),
        ]);
      }
    },
  };
}
