/**
 * The measured side: one process, one case. Started by `runner.js` with the file of the group, its id and the name of
 * the case.
 *
 * Protocol, one line each: the child prints `{"ready":true}` or `{"missing":"reason"}`; then for each line with a number
 * of iterations on its standard input, it prints `{"elapsedNs":…,"answer":…}` (timed) or `{"amount":…}` (sized). A child
 * whose case is sized prints `{"ready":true,"sized":true}`, because it needs no warm-up.
 */
import { createInterface } from 'node:readline';

/** @import { Group, Sized, Timed } from './types.js' */

/** Share of the iterations that run again before a sample: caches are cold after another process has run. */
const primingShare = 1 / 16;

await main();

async function main() {
  const [file = '', groupId = '', name = ''] = process.argv.slice(2);
  /** @type {Timed | Sized} */
  let subject;
  try {
    subject = await setUp(file, groupId, name);
  } catch (error) {
    print({ missing: reasonOf(error) });
    return;
  }
  print({ ready: true, sized: 'measure' in subject });
  for await (const line of createInterface({ input: process.stdin })) {
    const iterations = Number(line);
    print('measure' in subject ? { amount: await subject.measure() } : await time(subject, iterations));
  }
}

/**
 * @param {string} file
 * @param {string} groupId
 * @param {string} name
 */
async function setUp(file, groupId, name) {
  /** @type {{ default: readonly Group[] }} */
  const { default: groups } = await import(file);
  const found = groups.find(({ id }) => id === groupId)?.cases[name];
  if (!found || 'command' in found) throw new Error(`no case "${name}" in the group "${groupId}"`);
  return 'setup' in found ? found.setup() : found();
}

/**
 * @param {Timed} subject
 * @param {number} iterations
 */
async function time(subject, iterations) {
  // No forced collection: it shrinks the young generation, and cases that allocate then take up to three times as long.
  await measure(subject, Math.floor(iterations * primingShare));
  const elapsedNs = await measure(subject, iterations);
  return { elapsedNs, answer: subject.answer?.() };
}

/**
 * @param {Timed} subject
 * @param {number} iterations
 */
async function measure(subject, iterations) {
  if (!subject.before) return elapsed(subject, iterations);
  let sum = 0;
  for (let i = 0; i < iterations; i++) {
    subject.before();
    sum += await elapsed(subject, 1);
  }
  return sum;
}

/**
 * @param {Timed} subject
 * @param {number} iterations
 */
async function elapsed(subject, iterations) {
  const start = process.hrtime.bigint();
  const result = subject.run(iterations);
  // Awaiting costs a turn of the microtask queue, so only asynchronous cases pay for it.
  if (result instanceof Promise) await result;
  return Number(process.hrtime.bigint() - start);
}

/** @param {unknown} error */
function reasonOf(error) {
  const { message } = /** @type {Error} */ (error);
  // Reports are published, so they name packages and not folders of this machine.
  const root = new URL('../../', import.meta.url);
  const [reason = ''] = message.split(/\n| imported from /);
  return reason.replaceAll(root.href, '').replaceAll(root.pathname, '');
}

/** @param {object} message */
function print(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
