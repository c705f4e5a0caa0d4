import { visible } from './visible.ts';

/** Stable codes of what core refuses. Other packages have codes of their own: docs/errors.md lists all of them. */
export type ErrorCode =
  | 'ERR_INVALID_OPTION'
  | 'ERR_INVALID_VALUE'
  | 'ERR_VALUE_OUT_OF_RANGE'
  | 'ERR_INVALID_COUNT'
  | 'ERR_COUNT_OVERFLOW'
  | 'ERR_INCOMPATIBLE'
  | 'ERR_CONCURRENT_MODIFICATION'
  | 'ERR_DECODE'
  | 'ERR_TOO_LARGE';

/** The data of an error: what its message says, for programs. Plain values under names that the message explains. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** The optional parts of an error. */
export interface HdrscopeErrorOptions extends ErrorOptions {
  /** The facts of the message as data. @default no details */
  readonly details?: ErrorDetails;
}

/**
 * The one error that hdrscope throws. Nothing has changed when it arrives: a refused call leaves every
 * histogram, registry and file as it was.
 *
 * The code is API, and so are the names in `details`; the text of the message is not. An error about a value that must
 * be something else has the details `what`, `allowed` and `got`.
 *
 * @example
 * ```ts
 * import { Histogram, HdrscopeError } from '@hdrscope/core';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1000 });
 * try {
 *   histogram.record(-1);
 * } catch (error) {
 *   (error as HdrscopeError).code; //=> 'ERR_INVALID_VALUE'
 *   (error as HdrscopeError).message; //=> 'value must be a number from 0 to 2047, got -1'
 *   (error as HdrscopeError).details; //=> { what: 'value', allowed: 'a number from 0 to 2047', got: -1 }
 * }
 * ```
 */
export class HdrscopeError<Code extends string = string> extends Error {
  /** The class's name. It stays the same when a bundler renames the class. */
  override readonly name = 'HdrscopeError';
  /** Which rule was broken: an `ERR_` word that stays the same in all releases. */
  readonly code: Code;
  /** The facts of the message as data: values, limits, names. Empty when there is nothing to add. */
  readonly details: ErrorDetails;

  constructor(code: Code, message: string, { details = {}, ...options }: HdrscopeErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  /** By name: two copies of this package in one process recognise each other's errors. */
  static override [Symbol.hasInstance](candidate: unknown): boolean {
    return candidate instanceof Error && candidate.name === 'HdrscopeError';
  }
}

/** Builds the error for something that `must be` one thing and is another. */
export function mustBe<Code extends string>(
  code: Code,
  what: string,
  allowed: string,
  got: unknown,
): HdrscopeError<Code> {
  const message = visible(`${what} must be ${allowed}, got ${inspect(got)}`, { lines: true });
  return new HdrscopeError(code, message, { details: { what, allowed, got } });
}

/** The error for a part of some input that must be one thing and is another. `where` is its path in the input. */
export function malformed(where: string, allowed: string, got: unknown): HdrscopeError<'ERR_DECODE'> {
  return mustBe('ERR_DECODE', where, allowed, got);
}

const LONGEST_ECHO = 80;

/** A short, unambiguous echo of a value in a message: strings quoted, objects by kind, and all cut where long. */
function inspect(value: unknown): string {
  const text = echo(value);
  if (text.length <= LONGEST_ECHO) return text;
  const { length } = typeof value === 'string' ? value : text;
  return `${text.slice(0, LONGEST_ECHO)}… (${length} characters)`;
}

function echo(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    const kind = readClassName(value);
    return typeof kind !== 'string' || kind === 'Object' ? 'an object' : `a ${kind}`;
  }
  return String(value);
}

/** The name of a value's class. Foreign data may have a field `constructor` of any type, and a proxy may refuse to be read. */
function readClassName(value: object): unknown {
  try {
    return value.constructor?.name;
  } catch {
    return undefined;
  }
}
