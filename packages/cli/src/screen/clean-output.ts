import { randomUUID } from 'node:crypto';
import { visible } from '@hdrscope/core/internal';
import type { Io, Output } from '../command.ts';

// Foreign text cannot contain it, because it is another one in each process. A NUL never reaches an output.
const MARK = `\0${randomUUID()}\0`;

/**
 * A sequence that a terminal obeys, such as the beginning of a colour. It passes `cleanIo`; all others, which can only come from
 * names, logs and messages of others, become visible.
 */
export function terminalControl(sequence: string): string {
  return `${MARK}${sequence}${MARK}`;
}

/**
 * An `Io` through which no foreign text controls a terminal. Control characters and changes of the direction of writing become
 * visible on standard error, and on standard output when that is a terminal. A pipe and a file get every byte of data; `cleanFor`
 * cleans what people read. Standard error shows no passwords and keys of URLs.
 */
export function cleanIo(io: Io): Io {
  const stdout = io.stdout.isTerminal ? through(io.stdout, cleaned) : io.stdout;
  return { ...io, stdout, stderr: through(io.stderr, (text) => cleaned(withoutSecrets(text))) };
}

/** The formats that people read, in a pipe and in a file too: a log of CI obeys control characters. */
const FOR_PEOPLE: ReadonlySet<string | undefined> = new Set(['text', 'markdown', undefined]);

/**
 * An `Io` for a format: through it, control characters of others become visible in what people read.
 *
 * @param format `undefined` for a command that says what it does.
 */
export function cleanFor(format: string | undefined, io: Io): Io {
  // A terminal is clean already, and colours come marked.
  if (io.stdout.isTerminal || !FOR_PEOPLE.has(format)) return io;
  return { ...io, stdout: through(io.stdout, cleaned) };
}

function through(output: Output, change: (text: string) => string): Output {
  return {
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
    get rows() {
      return output.rows;
    },
    write: (text) => output.write(change(text)),
  };
}

/** Every second part is a sequence of `terminalControl`. */
function cleaned(text: string): string {
  return text
    .split(MARK)
    .map((part, at) => (at % 2 === 1 ? part : visible(part, { lines: true })))
    .join('');
}

/**
 * URLs without passwords, and without the values of their queries, which may be keys. A password may have characters that a URL must not have, so
 * what is between `://` and the last `@` of a word goes.
 */
function withoutSecrets(text: string): string {
  return text.replace(/[^\s"'<>]+/g, (word) => {
    const from = word.indexOf('://') + '://'.length;
    if (from < '://'.length) return word;
    const to = word.lastIndexOf('@');
    const shown = to < from ? word : `${word.slice(0, from)}***${word.slice(to)}`;
    return shown.replaceAll(/([?&](?:[^=&#]*=)?)[^&#]+/g, '$1***');
  });
}
