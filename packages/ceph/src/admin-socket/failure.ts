/** The numbers that replies carry, as Linux has them. */
export const EINVAL = 22;
export const ETIMEDOUT = 110;

const WORDS: ReadonlyMap<number, string> = new Map([
  [EINVAL, 'Invalid argument'],
  [ETIMEDOUT, 'Connection timed out'],
]);

// What goes wrong is told in a few lines.
const LONGEST_MESSAGE = 1000;

/** The body that tells a client that its command was refused: the protocol has no status but this text. */
export function failureBody(message: string, errno: number = EINVAL): string {
  return `ERROR: (${errno}) ${WORDS.get(errno) ?? 'Unknown error'}\n${message.slice(0, LONGEST_MESSAGE)}\n`;
}

/** A daemon's refusal. */
export interface Failure {
  readonly errno: number;
  readonly message: string;
}

/** Reads the refusal that a body is, if it is one. */
export function parseFailure(body: string): Failure | undefined {
  const match = /^ERROR: \((-?\d+)\) ([^\n]*)\n?/.exec(body);
  if (match === null) return undefined;
  const words = [match[2]!, body.slice(match[0].length)].map((text) => text.trim().replaceAll(/\s+/g, ' '));
  return { errno: Math.abs(Number(match[1])), message: words.filter((text) => text !== '').join(': ') };
}
