import { createRequire } from 'node:module';
import { runInContext } from 'node:vm';

// Jest depends on its environments by this way; nothing here does.
const requireOfJest = ['jest', '@jest/core', 'jest-config'].reduce(
  (require, name) => createRequire(require.resolve(name)),
  createRequire(import.meta.url),
);
const { TestEnvironment } = requireOfJest('jest-environment-node');

// What tests do not replace. `Date` and timers are not among these.
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
 * Jest's environment for Node.js, whose global object is a proxy: looking up `Math` takes longer than most of what is
 * done with it. Constants of the global scope are looked up first, and as fast as any.
 */
export default class Environment extends TestEnvironment {
  /** @param {unknown[]} args */
  constructor(...args) {
    super(...args);
    runInContext(`const { ${NAMES.join(', ')} } = globalThis;`, this.context);
  }
}
