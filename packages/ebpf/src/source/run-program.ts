import { execFile } from 'node:child_process';
import { HdrscopeError } from '@hdrscope/core';
import { kernelError } from '../errors.ts';

interface RunOptions {
  readonly timeoutMs: number;
  /** Finds the reason of a failure in the output of the program. */
  explain(stdout: string): string;
}

const LARGEST_OUTPUT_BYTES = 256 * 2 ** 20;

/**
 * Runs a program to its end, and returns its output.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the program is missing, fails or takes too long; `ERR_TOO_LARGE` when it prints
 *   more than 256 MiB.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { timeoutMs, explain }: RunOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: LARGEST_OUTPUT_BYTES } as const;
    execFile(program, [...args], options, (cause, stdout) => {
      if (cause === null) return resolve(stdout);
      if (cause.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
        const message = `the output of ${program} must be at most ${LARGEST_OUTPUT_BYTES} bytes, and is longer`;
        return reject(new HdrscopeError('ERR_TOO_LARGE', message, { cause, details: { program } }));
      }
      reject(kernelError(failure(cause), { program }, cause));

      function failure({ code, killed }: { code?: unknown; killed?: boolean }): string {
        if (code === 'ENOENT') return `cannot run ${program}: it is not installed, or not in PATH`;
        if (code === 'EACCES') return `cannot run ${program}: this user may not execute it`;
        const command = [program, ...args].join(' ');
        if (killed === true)
          return `\`${command}\` must end within ${timeoutMs} ms, and did not: raise timeoutMs`;
        return `\`${command}\` failed: ${explain(stdout)}`;
      }
    });
  });
}
