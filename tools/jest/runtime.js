import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

register('./hooks.js', import.meta.url);

/** How many test files this process has loaded. */
let files = 0;

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
    return this.requireModule(path);
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
