/** Processor times of processes, which waiting for a busy machine is no part of. */
import { spawnSync } from 'node:child_process';

/** The code with which a process prints its own processor time in ms, as the only text on its standard error. */
export const REPORT =
  '{const{user,system}=process.cpuUsage();process.stderr.write(String((user+system)/1000))}';

/**
 * @param {string[]} args Arguments of Node.js, with `REPORT` in one of them.
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
function measureProcess(args, options) {
  const { status, stderr } = spawnSync(process.execPath, args, { ...options, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(stderr);
}

/**
 * The least processor times of two processes that run in turns: other work on the machine can only add to them.
 *
 * @param {number} rounds
 * @param {Parameters<typeof measureProcess>} one
 * @param {Parameters<typeof measureProcess>} other
 * @returns {[one: number, other: number]} In ms.
 */
export function measureInTurns(rounds, one, other) {
  /** @type {[number, number]} */
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    least[0] = Math.min(least[0], measureProcess(...one));
    least[1] = Math.min(least[1], measureProcess(...other));
  }
  return least;
}

/** A busy machine takes more processor time, too: a figure above its limit is measured again. */
const MOST_ROUNDS = 3;

/**
 * The least figure of a measurement that is repeated while it is above its limit.
 *
 * @param {number} limit
 * @param {() => number} measure
 */
export function measureWithin(limit, measure) {
  let figure = measure();
  for (let round = 1; figure > limit && round < MOST_ROUNDS; round++) figure = Math.min(figure, measure());
  return figure;
}
