/** Which scenario is next. */

/**
 * The round with a number: scenarios take turns. Each round has random numbers of its own, so it can be repeated alone.
 *
 * @template T
 * @param {readonly T[]} scenarios
 * @param {number} index
 * @returns {T}
 */
export function scenarioAt(scenarios, index) {
  return /** @type {T} */ (scenarios[index % scenarios.length]);
}

/**
 * Whether there is time for another round. The first ones must run however slow the machine is: otherwise a scenario could pass that
 * was never tried.
 *
 * @param {{ rounds: number, scenarios: number, elapsedMs: number, limitMs: number }} state
 */
export function hasTimeFor({ rounds, scenarios, elapsedMs, limitMs }) {
  if (rounds < scenarios) return true;
  return elapsedMs + elapsedMs / rounds <= limitMs;
}
