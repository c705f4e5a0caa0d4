/** Runs the cases of a target: each gives a value or an error that users expect, soon and in bounded memory. */
import { getHeapStatistics } from 'node:v8';
import { Random } from '../lib/random.js';
import { FORMS } from './forms.js';

/**
 * @typedef {import('./forms.js').Input} Input
 * @typedef {import('../lib/random.js').Random} RandomNumbers
 *
 * @typedef {object} Target
 * @property {keyof typeof FORMS} form
 * @property {readonly Input[]} seeds Right inputs.
 * @property {(input: Input) => unknown} run Returns a value, or a promise of one. Throws when the value contradicts itself.
 * @property {readonly string[]} [words] Words of the format.
 * @property {(random: RandomNumbers, make: () => Input) => Input} [make] Makes an input in another way; `make` is the usual one.
 * @property {(error: any) => boolean} [allows] Errors that users expect besides `HdrscopeError`.
 * @property {number} [mostMs] Left out: 400.
 * @property {number} [mostMb] How much memory one case may take. Left out: 96.
 * @property {boolean} [gathers] Whether `run` is asynchronous.
 *
 * @typedef {{ input: Input, message: string, stack?: string }} Failure
 * @typedef {'accepted' | 'refused' | Failure} Outcome
 */

const MOST_MS = 400;
const MOST_MB = 96;
/** How long shrinking one finding may take. */
const SHRINK_MS = 5000;

/**
 * @param {Target} target
 * @param {number} seed
 * @param {number} index
 * @returns {Input} Equal for equal arguments.
 */
export function caseOf(target, seed, index) {
  const random = new Random(seed, index);
  const make = () => FORMS[target.form].make(random, target.seeds, target.words ?? []);
  return target.make === undefined ? make() : target.make(random, make);
}

/**
 * Runs one case.
 *
 * @param {Target} target
 * @param {Input} input
 * @returns {Promise<Outcome>}
 */
export async function outcomeOf(target, input) {
  const first = await attempt(target, input);
  // A second attempt rules out that another process or the compiler disturbed a measurement.
  return typeof first === 'string' || first.stack !== undefined ? first : attempt(target, input);
}

/**
 * @param {Target} target
 * @param {Input} input
 * @returns {Promise<Outcome>}
 */
async function attempt(target, input) {
  const { run, allows, mostMs = MOST_MS, mostMb = MOST_MB } = target;
  const before = heapBytes();
  const start = process.cpuUsage();
  let error;
  let hasFailed = false;
  try {
    const result = run(input);
    if (target.gathers) await result;
  } catch (caught) {
    error = caught;
    hasFailed = true;
  }
  // Time of the processor does not grow when the machine is busy with other processes.
  const { user, system } = process.cpuUsage(start);
  const tookMs = (user + system) / 1000;
  const tookMb = (heapBytes() - before) / 2 ** 20;
  if (hasFailed && !isExpected(error) && !allows?.(error)) {
    if (Error.stackTraceLimit === 0) return withStack(target, input);
    return {
      input,
      message: messageOf(error),
      stack: error instanceof Error ? (error.stack ?? '') : String(error),
    };
  }
  if (tookMs > mostMs) return { input, message: `takes more than ${mostMs} ms` };
  if (tookMb > mostMb) return { input, message: `takes more than ${mostMb} MB` };
  return hasFailed ? 'refused' : 'accepted';
}

/**
 * Repeats a failure to get its stack: cases run without stacks, which would take longer than all else.
 *
 * @param {Target} target
 * @param {Input} input
 */
async function withStack(target, input) {
  Error.stackTraceLimit = 30;
  try {
    return await attempt(target, input);
  } finally {
    Error.stackTraceLimit = 0;
  }
}

/** @param {any} error */
function isExpected(error) {
  return error?.name === 'HdrscopeError';
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? `${error.name}: ${error.message}` : `throws ${String(error)}`;
}

function heapBytes() {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/**
 * The smallest input found that fails in the same way.
 *
 * @param {Target} target
 * @param {Failure} failure
 * @returns {Promise<Failure>}
 */
export async function shrink(target, failure) {
  const form = FORMS[target.form];
  const kind = kindOf(failure);
  const endMs = performance.now() + SHRINK_MS;
  let smallest = failure;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const input of form.smaller(smallest.input)) {
      if (performance.now() > endMs) return smallest;
      const found = await outcomeOf(target, input);
      if (typeof found === 'string' || kindOf(found) !== kind) continue;
      smallest = found;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/**
 * Failures of one kind have one cause: the same place in the code, and the same message but for its numbers and quotes.
 *
 * @param {Failure} failure
 */
export function kindOf({ message, stack }) {
  const place = stack?.split('\n').find((line) => /^\s+at .*packages/.test(line)) ?? '';
  return `${message.replaceAll(/\d+|"[^"]*"|'[^']*'/g, '_').slice(0, 60)} ${place.trim()}`;
}
