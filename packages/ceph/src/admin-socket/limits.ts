import { mustBe } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS } from '@hdrscope/kit';

/** The limits of an admin socket. */
export interface AdminSocketLimits {
  /**
   * How many connections may be open. When one more comes, the oldest one without a request is closed; when all have one, the new one.
   * @default 256
   */
  readonly connections: number;
  /** How many requests are answered at a moment, until their replies are read. Others wait for their turn. @default 64 */
  readonly requests: number;
  /** The size of the longest request that gets a reply, in bytes. @default 1024, as in daemons */
  readonly requestBytes: number;
  /** The time that a client has for its request, and again for reading the reply, in milliseconds. @default 5000 */
  readonly requestMs: number;
  /** The time that a request has for its turn and its command, in milliseconds. After it the client gets an error. @default 30000 */
  readonly answerMs: number;
}

const DEFAULTS: AdminSocketLimits = {
  connections: 256,
  requests: 64,
  requestBytes: 1024,
  requestMs: 5000,
  answerMs: 30_000,
};

/** By name: the least and the most that a limit may be. */
const BOUNDS: Readonly<Record<keyof AdminSocketLimits, readonly [least: number, most: number]>> = {
  connections: [1, 2 ** 31 - 1],
  requests: [1, 2 ** 31 - 1],
  requestBytes: [4, 2 ** 30],
  requestMs: [1, LONGEST_TIMER_MS],
  answerMs: [1, LONGEST_TIMER_MS],
};

/**
 * All limits, from those that are given.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a limit does not exist, or is outside its bounds.
 */
export function adminSocketLimits(given: Partial<AdminSocketLimits> = {}): AdminSocketLimits {
  for (const [name, limit] of Object.entries(given)) {
    if (!isLimit(name)) {
      throw mustBe('ERR_INVALID_OPTION', 'limits', `any of ${Object.keys(DEFAULTS).join(', ')}`, name);
    }
    const [least, most] = BOUNDS[name];
    if (!Number.isInteger(limit) || limit < least || limit > most) {
      throw mustBe('ERR_INVALID_OPTION', `limits.${name}`, `an integer from ${least} to ${most}`, limit);
    }
  }
  return { ...DEFAULTS, ...given };
}

function isLimit(name: string): name is keyof AdminSocketLimits {
  return Object.hasOwn(DEFAULTS, name);
}
