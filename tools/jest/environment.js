import childProcess from 'node:child_process';

// Longer than any test that sets no limit of its own. Only a hang reaches it.
const SYNC_TIMEOUT_MS = 300_000;

/**
 * Children of the test file that runs now.
 *
 * @type {Set<import('node:child_process').ChildProcess>}
 */
const children = new Set();

/** @typedef {(...args: unknown[]) => unknown} AnyFunction */

const prototype = /** @type {{ spawn: AnyFunction, unref: AnyFunction }} */ (
  /** @type {unknown} */ (childProcess.ChildProcess.prototype)
);
const { spawn, unref } = prototype;
/**
 * @this {import('node:child_process').ChildProcess}
 * @param {unknown[]} args
 */
prototype.spawn = function (...args) {
  children.add(this);
  this.once('exit', () => children.delete(this));
  return spawn.apply(this, args);
};
/**
 * A process that its owner need not wait for, such as esbuild's, may serve the next file.
 *
 * @this {import('node:child_process').ChildProcess}
 */
prototype.unref = function () {
  children.delete(this);
  return unref.call(this);
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

/** Whether the program ran in a test, or why it did not: see `packages/cli/test/support/program.ts`. */
const PROGRAM_RUN = Symbol.for('hdrscope.program-run');

/**
 * The environment of a test file: the realm of its process itself, so that all files of a package share their modules.
 * Processes that a test file has started end with it, also when a test fails, and each synchronous one has a time limit.
 */
export default class Environment {
  global = globalThis;
  #console = console;
  #exit = process.exit;
  #env = { ...process.env };
  #stackTraceLimit = Error.stackTraceLimit;

  /** @param {{ projectConfig: { rootDir: string } }} config */
  constructor({ projectConfig }) {
    process.chdir(projectConfig.rootDir);
  }

  async setup() {
    // Jest maps stacks by a library; Node.js does it with the maps that the sources bring.
    Reflect.set(Error, 'prepareStackTrace', undefined);
  }

  /**
   * With `HDRSCOPE_PROGRAM`, only tests in which that program ran have passed: others tested this process.
   *
   * @param {{ name: string, test?: { errors: unknown[], status: string } }} event
   */
  handleTestEvent({ name, test }) {
    if (process.env.HDRSCOPE_PROGRAM === undefined || test === undefined) return;
    if (name === 'test_start') Reflect.set(globalThis, PROGRAM_RUN, 'it tests modules, without the program');
    const run = Reflect.get(globalThis, PROGRAM_RUN);
    if (name !== 'test_done' || test.errors.length > 0 || run === true) return;
    test.status = 'skip';
    console.log(`skipped: ${run}`);
  }

  getVmContext() {
    return null;
  }

  async teardown() {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    Error.stackTraceLimit = this.#stackTraceLimit;
    // What was registered with the API of OpenTelemetry, which refuses a second one.
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (key.description?.startsWith('opentelemetry.js.api.')) Reflect.deleteProperty(globalThis, key);
    // Where its requests went: see `noteClientRequest` of kit.
    Reflect.deleteProperty(globalThis, Symbol.for('hdrscope.client-addresses'));
  }
}
