import { createRequire } from 'node:module';
import { runInContext } from 'node:vm';

// The environment is a dependency of a dependency of Jest, so it is resolved through them.
const requireOfJest = ['jest', '@jest/core', 'jest-config'].reduce(
  (require, name) => createRequire(require.resolve(name)),
  createRequire(import.meta.url),
);
const { TestEnvironment } = requireOfJest('jest-environment-node');

// Globals that tests do not replace. Tests do replace `Date` and timers.
const NAMES = [
  'Array',
  'ArrayBuffer',
  'Atomics',
  'BigInt',
  'BigInt64Array',
  'BigUint64Array',
  'Boolean',
  'DataView',
  'Error',
  'Float64Array',
  'Int32Array',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'RangeError',
  'Reflect',
  'Set',
  'SharedArrayBuffer',
  'String',
  'Symbol',
  'TypeError',
  'Uint16Array',
  'Uint32Array',
  'Uint8Array',
  'WeakMap',
  'WeakRef',
];

/**
 * Jest's environment for Node.js, with fast globals. The global object of Jest is a proxy, so looking up `Math` costs more
 * than most of its functions. Constants of the global scope come before the global object and have no such cost.
 */
export default class Environment extends TestEnvironment {
  /** @param {unknown[]} args */
  constructor(...args) {
    super(...args);
    runInContext(`const { ${NAMES.join(', ')} } = globalThis;`, this.context);
  }
}
