/**
 * The ledger: what a process says it has recorded. It appends a line for each batch of values after it has recorded them, in the same
 * turn of the event loop, so a snapshot has a batch as a whole or not at all, and no way out can have a batch before the ledger has it.
 *
 * A line is `b NUMBER COUNT MICROSECONDS` for a batch, `w VALUES` when a way out reports that the first so many values are safe, or
 * `e TEXT` for an event, such as an error that the process has seen.
 */
import { existsSync, readFileSync } from 'node:fs';

/**
 * Values that were recorded together.
 *
 * @typedef {object} Batch
 * @property {number} number From 1, without gaps.
 * @property {number} count At least 1.
 * @property {number} atMs When it was recorded, in milliseconds since 1970.
 */

/**
 * What one life of a process has recorded.
 *
 * @typedef {object} Ledger
 * @property {string} run The name of this life.
 * @property {readonly Batch[]} batches
 * @property {number} safe How many of the first values a way out has reported as safe.
 * @property {readonly string[]} events
 */

/**
 * How many values of each batch have arrived, by the number of the batch.
 *
 * @typedef {ReadonlyMap<number, number>} Arrived
 */

/**
 * Compares a ledger with what has arrived.
 *
 * @typedef {object} Outcome
 * @property {number} recorded values
 * @property {number} arrived values that arrived once
 * @property {number} lost values that must have arrived
 * @property {number} twice values that arrived more often than they were recorded
 * @property {number} windowValues values that did not arrive, and need not
 * @property {number} windowMs the longest time in which values that were recorded did not arrive, and need not
 */

/**
 * Reads a ledger. The process may have been killed before it wrote a whole line.
 *
 * @param {string} run
 * @param {string} file
 * @returns {Ledger}
 */
export function readLedger(run, file) {
  return parseLedger(run, existsSync(file) ? readFileSync(file, 'utf8') : '');
}

/**
 * @param {string} run
 * @param {string} text
 * @returns {Ledger}
 */
export function parseLedger(run, text) {
  /** @type {Batch[]} */
  const batches = [];
  /** @type {string[]} */
  const events = [];
  let safe = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    const [kind, ...fields] = line.split(' ');
    if (kind === 'e') events.push(fields.join(' '));
    else if (kind === 'w') safe = Math.max(safe, Number(fields[0]));
    else if (kind === 'b') {
      const [number = 0, count = 0, us = 0] = fields.map(Number);
      if (number !== batches.length + 1) throw new Error(`${run}: batch ${number} follows ${batches.length}`);
      batches.push({ number, count, atMs: us / 1000 });
    } else throw new Error(`${run}: the ledger must have lines b, w and e, got "${line}"`);
  }
  return { run, batches, safe, events };
}

/** @param {readonly Batch[]} batches */
export function valuesOf(batches) {
  return batches.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Allows the loss of the last batches: those after the last one that has arrived, unless they were reported as safe.
 *
 * @param {Ledger} ledger
 * @param {Arrived} arrived
 * @returns {(batch: Batch) => boolean}
 */
export function afterTheLast({ batches, safe }, arrived) {
  const last = Math.max(0, ...arrived.keys());
  let before = 0;
  /** @type {Set<Batch>} */
  const safeOnes = new Set();
  for (const batch of batches) {
    before += batch.count;
    if (before <= safe) safeOnes.add(batch);
  }
  return (batch) => batch.number > last && !safeOnes.has(batch);
}

/**
 * Allows the loss of batches that were recorded at some times, in milliseconds since 1970.
 *
 * @param {readonly (readonly [fromMs: number, toMs: number])[]} windows
 * @returns {(batch: Batch) => boolean}
 */
export function within(windows) {
  return ({ atMs }) => windows.some(([fromMs, toMs]) => atMs >= fromMs && atMs <= toMs);
}

/** Allows no loss. */
export const nothing = () => false;

/**
 * @param {Ledger} ledger
 * @param {Arrived} arrived
 * @param {(batch: Batch) => boolean} mayBeLost
 * @returns {Outcome}
 */
export function compare({ batches }, arrived, mayBeLost) {
  const outcome = { recorded: 0, arrived: 0, lost: 0, twice: 0, windowValues: 0, windowMs: 0 };
  const numbers = new Set(batches.map(({ number }) => number));
  // Nobody has recorded these.
  for (const [number, count] of arrived) if (!numbers.has(number)) outcome.twice += count;
  /** @type {number | undefined} */
  let missingSinceMs;
  for (const batch of batches) {
    const { number, count, atMs } = batch;
    const got = arrived.get(number) ?? 0;
    outcome.recorded += count;
    outcome.arrived += Math.min(count, got);
    outcome.twice += Math.max(0, got - count);
    if (got >= count) {
      missingSinceMs = undefined;
      continue;
    }
    // A batch is recorded at once, so a part of it is a fault even where the whole may be lost.
    if (got > 0 || !mayBeLost(batch)) outcome.lost += count - got;
    else {
      missingSinceMs ??= atMs;
      outcome.windowValues += count;
      outcome.windowMs = Math.max(outcome.windowMs, atMs - missingSinceMs);
    }
  }
  return outcome;
}

/**
 * Spreads a sum over batches, for ways out that show nothing but the sum: counts only grow, so the sum is that of the first batches.
 * What exceeds all of them comes back as a batch that nobody has recorded.
 *
 * @param {Ledger} ledger
 * @param {number} sum
 * @returns {Map<number, number>}
 */
export function arrivedInOrder({ batches }, sum) {
  /** @type {Map<number, number>} */
  const arrived = new Map();
  let left = sum;
  for (const { number, count } of batches) {
    if (left <= 0) return arrived;
    arrived.set(number, Math.min(count, left));
    left -= count;
  }
  if (left > 0) arrived.set(batches.length + 1, left);
  return arrived;
}

/**
 * @param {readonly Outcome[]} outcomes
 * @returns {Outcome}
 */
export function sumOf(outcomes) {
  /** @param {keyof Outcome} key */
  const sum = (key) => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  return {
    recorded: sum('recorded'),
    arrived: sum('arrived'),
    lost: sum('lost'),
    twice: sum('twice'),
    windowValues: sum('windowValues'),
    windowMs: Math.max(0, ...outcomes.map(({ windowMs }) => windowMs)),
  };
}
