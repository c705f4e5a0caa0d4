import { integer, type OptionRules, readOptions, withDefault } from '@hdrscope/core/internal';

/** The limits of a server. */
export interface ServerLimits {
  /**
   * How many connections may be open. When one more comes, the oldest one is closed that has sent no whole request yet, else the oldest one that
   * waits between two requests, and when all have one under way, the new one. @default 256
   */
  readonly connections: number;
  /** How many connections may be open from one address that is not of this machine. Beyond it, as above. @default 64 */
  readonly connectionsOfAddress: number;
  /** How many requests are answered at a moment. Others get 503. @default 64 */
  readonly requests: number;
  /** The time that a client has for the headers of a request, in milliseconds. @default 10_000 */
  readonly headersMs: number;
  /** The time that a client has for a whole request, in milliseconds. @default 30_000 */
  readonly requestMs: number;
  /** The time until an answer must begin, in milliseconds; after that the client gets 503. @default 60_000 */
  readonly answerMs: number;
  /** The time after which a connection is closed on which nothing moves, in milliseconds. @default 120_000 */
  readonly idleMs: number;
}

const limit = integer({ from: 1, to: 2 ** 31 - 1 });

const LIMITS = {
  name: 'limits',
  rules: {
    connections: withDefault(limit, 256),
    connectionsOfAddress: withDefault(limit, 64),
    requests: withDefault(limit, 64),
    headersMs: withDefault(limit, 10_000),
    requestMs: withDefault(limit, 30_000),
    answerMs: withDefault(limit, 60_000),
    idleMs: withDefault(limit, 120_000),
  } satisfies OptionRules<Partial<ServerLimits>>,
};

/**
 * All limits, from those that are given.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a limit does not exist, or is not an integer from 1 to 2^31 − 1.
 */
export function limitsOf(given: Partial<ServerLimits> = {}): ServerLimits {
  return readOptions(given, LIMITS, 'limits.');
}
