import { spawnSync } from 'node:child_process';

/**
 * Runs a program and gives what it printed.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, limitSeconds: number }} options
 * @throws {Error} Whose message says why the program is of no use.
 */
export function run(program, args, { cwd, env, limitSeconds }) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: limitSeconds * 1000,
    // What `go` takes for a request to stop its compilers too.
    killSignal: 'SIGINT',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT') throw new Error(`there is no ${program} on this machine`);
    if (code === 'ETIMEDOUT') throw new Error(`${program} ${args[0]} took longer than ${limitSeconds} s`);
    throw error;
  }
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${closingWords(stderr || stdout)}`);
  return stdout;
}

/**
 * The lines with which a program gives up, without the addresses that it was set up to use.
 *
 * @param {string} output
 */
function closingWords(output) {
  const lines = output.trim().split('\n').slice(-3);
  return lines.join(' | ').replace(/[a-z]+:\/\/[^\s"<>]+/g, '(address)') || 'it says nothing';
}
