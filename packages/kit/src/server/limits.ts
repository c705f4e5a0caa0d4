import { integer, type OptionRules, readOptions, withDefault } from '@hdrscope/core/internal';

/** The limits of a server. */
export interface ServerLimits {
  /**
   * How many connections may be open. When more have come in a turn of the event loop, the oldest one is closed that has sent no whole
   * request yet, else the oldest one that waits between two requests, else the one whose client is the slowest to send its request or to
   * take its answer, and when none is slow, the newest one.
   * @default 512
   */
  readonly connections: number;
  /** How many connections may be open from one address that is not of this machine. Beyond it, as above. @default 64 */
  readonly connectionsOfAddress: number;
  /** How many requests may wait for the beginning of their answers at a moment. Further ones wait for a place. @default 128 */
  readonly requests: number;
  /**
   * How many bytes the server may hold for its clients: bodies of answers that they have not taken, and of requests that are not
   * answered. Beyond it, requests wait; a single answer may be larger. While requests wait, clients that send or take less than 16 KiB in
   * a second are closed, the slowest first. @default 67_108_864
   */
  readonly pendingBytes: number;
  /** The time that a client has for the headers of a request, in milliseconds. @default 10_000 */
  readonly headersMs: number;
  /** The time that a client has for a whole request, in milliseconds. @default 30_000 */
  readonly requestMs: number;
  /** The time until an answer must begin, in milliseconds, waits included; after that the client gets 503. @default 60_000 */
  readonly answerMs: number;
  /** The time after which a connection is closed on which nothing moves, in milliseconds. @default 120_000 */
  readonly idleMs: number;
}

const limit = integer({ from: 1, to: 2 ** 31 - 1 });

const LIMITS = {
  name: 'limits',
  rules: {
    connections: withDefault(limit, 512),
    connectionsOfAddress: withDefault(limit, 64),
    requests: withDefault(limit, 128),
    pendingBytes: withDefault(limit, 64 * 2 ** 20),
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
