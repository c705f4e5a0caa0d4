import { visible } from '@hdrscope/core/internal';

/** Error numbers of Linux, which replies contain. */
const EINVAL = 22;
export const ETIMEDOUT = 110;

const WORDS: ReadonlyMap<number, string> = new Map([
  [EINVAL, 'Invalid argument'],
  [ETIMEDOUT, 'Connection timed out'],
]);

const LONGEST_MESSAGE = 1000;

/** The body of a refusal. The protocol has no status, so clients recognise it by its text. */
export function failureBody(message: string, errno: number = EINVAL): string {
  return `ERROR: (${errno}) ${WORDS.get(errno) ?? 'Unknown error'}\n${message.slice(0, LONGEST_MESSAGE)}\n`;
}

/** The refusal of a daemon. */
export interface Failure {
  readonly errno: number;
  readonly message: string;
}

/** Reads a refusal; `undefined` when the body is an answer. */
export function parseFailure(body: string): Failure | undefined {
  const match = /^ERROR: \((-?\d+)\) ([^\n]*)\n?/.exec(body);
  if (match === null) return undefined;
  const parts = [match[2]!, body.slice(match[0].length)].map((text) => text.slice(0, LONGEST_MESSAGE));
  const words = parts.map((text) => visible(text.trim().replaceAll(/\s+/g, ' ')));
  return { errno: Math.abs(Number(match[1])), message: words.filter((text) => text !== '').join(': ') };
}
