/** From the report of a soak to a table and a verdict. */
import { table } from '../lib/table.js';
import { growthOf, liveOf, slopeOf } from './memory.js';

/** @import { MemorySample } from './memory.js' */
/** @import { SoakReport, Way } from './soak.js' */

const mostGrowth = 0.1;
/** In a minute, the least samples of two thirds differ by up to 7 % with the scrapes in flight. A leak of 9 bytes a value is still more. */
const mostGrowthInMinutes = 0.25;
const longSeconds = 300;
const longestDelayMs = 20;
/** In a shorter soak, compiled code and growing tables are a larger part of the memory than what it looks for. */
const shortestJudgedSeconds = 45;
/** Readers that do not read hold their answers until a server gives them up, after a minute: a shorter attack still fills the memory. */
const shortestJudgedAttackSeconds = longSeconds;

/**
 * The reasons why a soak failed.
 *
 * @param {SoakReport} report
 * @param {{ strict: boolean }} options strict: late ticks and a busy event loop are failures too
 */
export function failuresOf(report, { strict }) {
  const { recorded, ways, memory, seconds, delayMs, attacks } = report;
  const failures = ways
    .filter(({ counts }) => differing(counts, recorded) > 0)
    .map(({ name, counts }) => `${name}: ${differing(counts, recorded)} series have other counts`);
  const growth = growthOf(memory.map(liveOf));
  const shortestSeconds = attacks.length > 0 ? shortestJudgedAttackSeconds : shortestJudgedSeconds;
  const most = seconds >= longSeconds ? mostGrowth : mostGrowthInMinutes;
  if (seconds >= shortestSeconds && growth > most) {
    failures.push(`live memory grew by ${percent(growth)}, at most ${percent(most)} is allowed`);
  }
  for (const { name, isRefused, times, answered, refused, closed } of attacks) {
    if (!isRefused) continue;
    if (answered > 0) failures.push(`${name}: ${answered} requests were not refused`);
    const hung = times - answered - refused - closed;
    if (hung > 0) failures.push(`${name}: ${hung} requests had no end`);
  }
  if (!strict) return failures;
  const late = ways.filter(({ dropped }) => dropped > 0);
  for (const { name, dropped } of late) failures.push(`${name}: ${dropped} ticks dropped`);
  if (delayMs.p99 > longestDelayMs) {
    failures.push(
      `p99 of the delay of the event loop is ${fixed(delayMs.p99)} ms, at most ${longestDelayMs} ms is allowed`,
    );
  }
  return failures;
}

/** @param {SoakReport} report */
export function textOf(report) {
  const { recorded, ways, scrapeMs, delayMs, memory, attacks } = report;
  const total = sum(recorded);
  return [
    table([
      ['way out', 'values', 'series that differ', 'ticks', 'dropped'],
      ['(recorded)', String(total), '', '', ''],
      ...ways.map((way) => rowOf(way, recorded)),
    ]),
    table([
      ['ms', 'p50', 'p99', 'max'],
      ['delay of the event loop', ...[delayMs.p50, delayMs.p99, delayMs.max].map(fixed)],
      ['scrape', ...[50, 99, 100].map((percentile) => fixed(percentileOf(scrapeMs, percentile)))],
    ]),
    table([
      ['MB', 'after 1/3', 'after 2/3', 'end', 'a minute', 'growth'],
      memoryRow('live, main thread', memory, ({ main }) => main.live),
      memoryRow('live, threads that record', memory, ({ workers }) => workers.live),
      memoryRow('live, all', memory, liveOf),
      memoryRow('heaps, main thread', memory, ({ main }) => main.reserved),
      memoryRow('heaps, threads that record', memory, ({ workers }) => workers.reserved),
      memoryRow('resident', memory, ({ resident }) => resident),
    ]),
    ...(attacks.length === 0 ? [] : [attackTable(attacks)]),
  ].join('\n\n');
}

/** @param {readonly import('./attacker.js').AttackReport[]} attacks */
function attackTable(attacks) {
  return table([
    ['attack', 'times', 'connections', 'closed', 'requests answered', 'refused'],
    ...attacks.map(({ name, times, connections, closed, answered, refused }) => [
      name,
      ...[times, connections, closed, answered, refused].map(String),
    ]),
  ]);
}

/**
 * @param {Way} way
 * @param {Float64Array} recorded
 */
function rowOf({ name, counts, ticks, dropped }, recorded) {
  return [name, String(sum(counts)), String(differing(counts, recorded)), String(ticks), String(dropped)];
}

/**
 * @param {string} name
 * @param {readonly MemorySample[]} samples
 * @param {(sample: MemorySample) => number} bytesOf
 */
function memoryRow(name, samples, bytesOf) {
  const bytes = samples.map(bytesOf);
  const at = [1 / 3, 2 / 3, 1].map((share) => bytes[Math.round(share * bytes.length) - 1] ?? 0);
  return [
    name,
    ...at.map((one) => fixed(one / 1e6)),
    fixed(slopeOf(samples, bytesOf) / 1e6),
    percent(growthOf(bytes)),
  ];
}

/**
 * The number of series whose counts differ.
 *
 * @param {Float64Array} counts
 * @param {Float64Array} recorded
 */
function differing(counts, recorded) {
  return recorded.reduce((differing, one, series) => differing + Number(counts[series] !== one), 0);
}

/**
 * @param {readonly number[]} numbers
 * @param {number} percentile
 */
function percentileOf(numbers, percentile) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil((percentile / 100) * sorted.length) - 1] ?? Number.NaN;
}

/** @param {Float64Array} counts */
function sum(counts) {
  return counts.reduce((total, one) => total + one, 0);
}

/** @param {number} number */
function fixed(number) {
  return number.toFixed(1);
}

/** @param {number} share */
function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
