import { execFile } from 'node:child_process';
import { HdrscopeError } from '@hdrscope/core';

interface RunOptions {
  readonly timeoutMs: number;
  /** What its output says of its failure. */
  explain(stdout: string): string;
}

const LARGEST_OUTPUT_BYTES = 256 * 2 ** 20;

/**
 * Runs a program to its end, and gives what it prints.
 *
 * @throws HdrscopeError `ERR_KERNEL` where it is missing, fails or takes too long; `ERR_TOO_LARGE`
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
        const what = `${program} prints more than ${LARGEST_OUTPUT_BYTES} bytes of this map`;
        return reject(new HdrscopeError('ERR_TOO_LARGE', what, { cause }));
      }
      reject(new HdrscopeError('ERR_KERNEL', failure(cause), { cause }));

      function failure({ code, killed }: { code?: unknown; killed?: boolean }): string {
        if (code === 'ENOENT') return `cannot run ${program}: there is no such program: install it`;
        if (code === 'EACCES') return `cannot run ${program}: it may not be executed`;
        const command = [program, ...args].join(' ');
        if (killed === true)
          return `\`${command}\` must end within ${timeoutMs} ms, and did not: raise timeoutMs`;
        return `\`${command}\` failed: ${explain(stdout)}`;
      }
    });
  });
}
