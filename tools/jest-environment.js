import childProcess from 'node:child_process';
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

// Longer than any test that sets no limit of its own. Only a hang reaches it.
const SYNC_TIMEOUT_MS = 300_000;

/**
 * Children of the test file that runs now.
 *
 * @type {Set<import('node:child_process').ChildProcess>}
 */
const children = new Set();

/** @typedef {(...args: unknown[]) => unknown} AnyFunction */

const prototype = /** @type {{ spawn: AnyFunction }} */ (
  /** @type {unknown} */ (childProcess.ChildProcess.prototype)
);
const { spawn } = prototype;
/**
 * @this {import('node:child_process').ChildProcess}
 * @param {unknown[]} args
 */
prototype.spawn = function (...args) {
  children.add(this);
  this.once('exit', () => children.delete(this));
  return spawn.apply(this, args);
};

// A limit of Jest does not interrupt a test that waits for a program in this way.
const functions = /** @type {Record<string, AnyFunction>} */ (/** @type {unknown} */ (childProcess));
for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
  const original = /** @type {AnyFunction} */ (functions[name]);
  functions[name] = (...args) => {
    const last = args.at(-1);
    const hasOptions = typeof last === 'object' && !Array.isArray(last);
    const others = hasOptions ? args.slice(0, -1) : args;
    const options = hasOptions ? last : {};
    return original(...others, { timeout: SYNC_TIMEOUT_MS, killSignal: 'SIGKILL', ...options });
  };
}

// A worker that has nothing left ends at once. Node.js would free its memory piece by piece, and on a busy machine Jest would wait for seconds.
// Whatever is left open keeps this event from coming, so that a leak is still reported.
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

/**
 * Jest's environment for Node.js. Processes that a test file has started end with it, also when a test fails, and each
 * synchronous one has a time limit. Its globals are fast: the global object of Jest is a proxy, so looking up `Math` costs
 * more than most of its functions, and constants of the global scope come before the global object and have no such cost.
 */
export default class Environment extends TestEnvironment {
  /** @param {unknown[]} args */
  constructor(...args) {
    super(...args);
    runInContext(`const { ${NAMES.join(', ')} } = globalThis;`, this.context);
  }

  async teardown() {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    await super.teardown();
  }
}
