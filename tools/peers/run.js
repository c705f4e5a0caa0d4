import { spawnSync } from 'node:child_process';

/**
 * Runs a program and returns its output.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, limitSeconds: number }} options
 * @throws {Error} with the reason, when the program is missing, fails or takes too long.
 */
export function run(program, args, { cwd, env, limitSeconds }) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: limitSeconds * 1000,
    // On SIGINT, `go` stops its compilers too.
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
 * The last lines of a program that failed, without the addresses that it is configured to use.
 *
 * @param {string} output
 */
function closingWords(output) {
  const lines = output.trim().split('\n').slice(-3);
  return lines.join(' | ').replace(/[a-z]+:\/\/[^\s"<>]+/g, '(address)') || 'it printed nothing';
}
