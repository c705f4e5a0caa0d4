import { format } from 'node:util';

/**
 * The functions that the `//=>` of one example call at run time. A check that fails throws at once and names its line in
 * the document.
 *
 * @param {string} file
 * @param {number[]} lines The lines with an expectation.
 * @param {(actual: unknown, expected: unknown) => void} assertEqual Throws when they differ.
 */
export function createChecks(file, lines, assertEqual) {
  const unreached = new Set(lines);

  /**
   * @param {number} line
   * @param {unknown} actual
   * @param {unknown} expected
   */
  function equals(line, actual, expected) {
    unreached.delete(line);
    try {
      assertEqual(actual, expected);
    } catch (error) {
      throw failure(`${file}:${line}: ${error instanceof Error ? error.message : error}`);
    }
  }

  /**
   * @param {unknown} error
   * @returns {unknown}
   */
  const codeOf = (error) =>
    (typeof error === 'object' && error !== null && 'code' in error && error.code) ||
    `an error without code: ${error}`;

  return {
    equals,

    /**
     * @param {number} line
     * @param {string} text
     * @returns {(...args: unknown[]) => void} Stands in for `console.log`.
     */
    prints:
      (line, text) =>
      (...args) => {
        const printed = format(...args).replace(/[ \t]+$/gm, '');
        equals(line, printed, text);
      },

    /**
     * @param {number} line
     * @param {string} code
     * @param {() => unknown} run
     */
    throws(line, code, run) {
      /** @type {unknown} */
      let thrown = 'nothing';
      try {
        run();
      } catch (error) {
        thrown = codeOf(error);
      }
      equals(line, thrown, code);
    },

    /**
     * @param {number} line
     * @param {string} code
     * @param {() => Promise<unknown>} run
     */
    async rejects(line, code, run) {
      const thrown = await run().then(() => 'nothing', codeOf);
      equals(line, thrown, code);
    },

    /** @throws Error naming the expectations that the example did not reach, behind a `return` or in a `catch`. */
    assertAllReached() {
      if (unreached.size > 0) {
        throw new Error(
          [...unreached].map((line) => `${file}:${line}: this //=> was never reached`).join('\n'),
        );
      }
    },
  };
}

/**
 * An error without a stack: the message names the place, and a stack would only show this file.
 *
 * @param {string} message
 */
function failure(message) {
  return Object.assign(new Error(message), { stack: message });
}
