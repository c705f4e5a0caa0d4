/** From the results of rounds to a table and a verdict. */
import { table } from '../lib/table.js';
import { sumOf } from './ledger.js';

/** @import { RoundResult, Scenario } from './scenario.js' */

/**
 * @typedef {object} RoundReport
 * @property {string} scenario
 * @property {number} index The number of the round, with which it can be repeated.
 * @property {number} seconds
 * @property {RoundResult} result
 */

/**
 * The reasons why a round failed.
 *
 * @param {Pick<Scenario, 'mostWindowMs'>} scenario
 * @param {RoundResult} result
 */
export function failuresOf({ mostWindowMs }, { outcomes, problems }) {
  const { lost, twice, arrived, windowMs } = sumOf(outcomes);
  const failures = [...new Set(problems)];
  if (lost > 0) failures.push(`${lost} values are lost outside of the window`);
  if (twice > 0) failures.push(`${twice} values are counted twice`);
  if (windowMs > mostWindowMs) {
    failures.push(`a window has ${Math.round(windowMs)} ms, at most ${mostWindowMs} ms are allowed`);
  }
  // A round that shows nothing must not pass.
  if (arrived === 0) failures.push('no value has arrived');
  return failures;
}

/**
 * @param {readonly Scenario[]} scenarios
 * @param {readonly RoundReport[]} reports
 */
export function textOf(scenarios, reports) {
  const rows = scenarios.map((scenario) => {
    const { name, skipped } = scenario;
    const ours = reports.filter((report) => report.scenario === name);
    if (ours.length === 0) return [name, skipped?.() === undefined ? '0' : 'skipped', '', '', '', '', '', ''];
    const { recorded, lost, twice, windowValues, windowMs } = sumOf(
      ours.flatMap(({ result }) => result.outcomes),
    );
    const tries = ours.reduce((sum, { result }) => sum + result.tries, 0);
    const failed = ours.filter(({ result }) => failuresOf(scenario, result).length > 0).length;
    return [name, ours.length, tries, recorded, lost, twice, windowValues, Math.round(windowMs), failed].map(
      String,
    );
  });
  return table([
    ['scenario', 'rounds', 'tries', 'values', 'lost', 'twice', 'in windows', 'longest, ms', 'failed'],
    ...rows,
  ]);
}
