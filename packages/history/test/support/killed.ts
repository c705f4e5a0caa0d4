import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a script that prints a line when it begins its work, and maybe kills it.
 *
 * @param killAfterMs How long after the beginning. Left out, it ends by itself.
 * @param print Takes what it prints.
 * @returns How long it worked, in milliseconds.
 */
export async function runScript(
  path: string,
  args: readonly string[],
  killAfterMs?: number,
  print: (text: string) => void = () => {},
): Promise<number> {
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', (bytes: Buffer) => print(bytes.toString()));
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  const beginMs = performance.now();
  if (killAfterMs !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, killAfterMs));
    child.kill('SIGKILL');
  }
  child.stdout.resume();
  await ended;
  return performance.now() - beginMs;
}
