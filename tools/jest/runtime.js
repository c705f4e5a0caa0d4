import asyncHooks from 'node:async_hooks';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

register('./hooks.js', import.meta.url);

/** How many test files this process has loaded. */
let files = 0;

/**
 * Holds the test or hook that runs now. It stands in for the `AsyncLocalStorage` that jest-circus makes for each file: before Node.js 24, each
 * promise of the process takes time for each of them, also for those of files that have ended, so the two hundredth file of a worker took several
 * times as long as the first. Tests of a file run one after another here, never by `test.concurrent`.
 */
class CurrentTest {
  /** @type {unknown} */
  #current;

  getStore() {
    return this.#current;
  }

  /**
   * @template Result
   * @param {unknown} current
   * @param {() => Promise<Result>} callback
   */
  run(current, callback) {
    const outer = this.#current;
    this.#current = current;
    return callback().finally(() => {
      this.#current = outer;
    });
  }
}

/**
 * Loads the modules of a test file in the realm of its process, so that all files of a package share its sources:
 * modules are compiled and optimised once for each worker. Jest's own runtime loads and optimises them anew for each file.
 * It has the methods that `jest-runner` and `jest-circus` call.
 */
export default class Runtime {
  requireModule = createRequire(import.meta.url);

  /**
   * The functions `describe`, `it`, … hold the tests of one file, so each file gets its own.
   *
   * @param {string} path
   */
  requireInternalModule(path) {
    delete this.requireModule.cache[path];
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    const { AsyncLocalStorage } = asyncHooks;
    // It cannot be replaced in Node.js 24, and need not be.
    const isReplaced = Reflect.set(asyncHooks, 'AsyncLocalStorage', CurrentTest);
    try {
      return this.requireModule(path);
    } finally {
      if (isReplaced) asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** @param {string} path */
  unstable_importModule(path) {
    return import(`${pathToFileURL(path).href}?file=${files++}`);
  }

  getSourceMaps() {
    return null;
  }

  getAllCoverageInfoCopy() {}
  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}
