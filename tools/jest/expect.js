import { equals, iterableEquality } from '@jest/expect-utils';

/** @param {unknown[]} values */
const areNumbers = (...values) => values.every((value) => typeof value === 'number');

/**
 * Plain expectations by the names of their matchers. Each is true only where the matcher of Jest passes.
 *
 * @type {Readonly<Record<string, (actual: any, expected: any) => boolean>>}
 */
export const QUICK_CHECKS = {
  toBe: Object.is,
  toEqual: (actual, expected) => equals(actual, expected, [iterableEquality]),
  toBeGreaterThan: (actual, expected) => areNumbers(actual, expected) && actual > expected,
  toBeGreaterThanOrEqual: (actual, expected) => areNumbers(actual, expected) && actual >= expected,
  toBeLessThan: (actual, expected) => areNumbers(actual, expected) && actual < expected,
  toBeLessThanOrEqual: (actual, expected) => areNumbers(actual, expected) && actual <= expected,
};

/**
 * Wraps `expect` of Jest, which makes four hundred functions for each value although a test calls one of them: a tenth of the time of tests that
 * expect something of thousands of values. A plain expectation that holds is only counted. Jest judges all others.
 *
 * @param {jest.Expect} whole
 * @returns {jest.Expect}
 */
export function createExpect(whole) {
  /** The matchers of one value are properties of this object, as Jest has them. */
  class Expectation {
    /** @param {unknown} actual */
    constructor(actual) {
      this.actual = actual;
    }
  }
  for (const name of Object.keys(whole(undefined))) {
    /** @param {Expectation} expectation */
    const matcherOf = ({ actual }) => Reflect.get(whole(actual), name);
    const holds = QUICK_CHECKS[name];
    const judge = /** @this {Expectation} @param {unknown[]} args */ function (...args) {
      if (args.length === 1 && holds?.(this.actual, args[0])) {
        const state = whole.getState();
        state.assertionCalls++;
        state.numPassingAsserts++;
        return;
      }
      try {
        matcherOf(this)(...args);
      } catch (error) {
        // Jest shows the line that comes first in the stack.
        if (error instanceof Error) Error.captureStackTrace(error, judge);
        throw error;
      }
    };
    const property = {
      /** @this {Expectation} */
      get() {
        return matcherOf(this);
      },
    };
    Object.defineProperty(Expectation.prototype, name, holds === undefined ? property : { value: judge });
  }
  const expect = (/** @type {unknown} */ actual) => new Expectation(actual);
  return /** @type {any} */ (Object.assign(expect, whole));
}
