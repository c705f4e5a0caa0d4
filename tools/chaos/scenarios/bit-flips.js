/** A bit of a history turns over on the disk, and somebody asks it. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @import { Round, Scenario } from '../scenario.js' */

const flips = 6;

/** @type {Scenario} */
export const bitFlips = {
  name: 'bit-flips',
  promise: 'an answer of a damaged history is right, or the command names the file and fails',
  window: 'nothing',
  mostWindowMs: 0,
  async run(round) {
    const { random } = round;
    const path = round.path('service.hlog');
    const service = await round.service({ log: { path, intervalMs: 50 } });
    await round.pause(1500, 800);
    await service.stop();
    const history = round.path('history');
    const imported = await round.command(['history', 'import', path, '-o', history]);
    if (imported.exitCode !== 0) throw new Error(imported.output);
    const truth = await ask(round, history);
    if (truth.exitCode !== 0) throw new Error(truth.output);

    const files = (await readdir(history, { recursive: true })).filter((name) => name.endsWith('.parquet'));
    const problems = [];
    for (let i = 0; i < flips; i++) {
      const name = random.of(files);
      const file = join(history, name);
      const whole = await readFile(file);
      const damaged = Buffer.from(whole);
      const bit = random.below(8 * whole.length);
      damaged[bit >> 3] = /** @type {number} */ (damaged[bit >> 3]) ^ (1 << (bit & 7));
      await writeFile(file, damaged);
      const { exitCode, output } = await ask(round, history);
      await writeFile(file, whole);
      if (exitCode === 0 && output !== truth.output) problems.push(`bit ${bit} of ${name}: a wrong answer`);
      if (exitCode !== 0 && !output.includes(name))
        problems.push(`bit ${bit} of ${name} is not named: ${output}`);
    }
    const recorded = round.ledger(service.run).batches.reduce((sum, { count }) => sum + count, 0);
    const arrived = Number(/"count": ?(\d+)/.exec(truth.output)?.[1]);
    if (arrived !== recorded)
      problems.push(`the history has ${arrived} values, and ${recorded} were recorded`);
    const outcome = { recorded, arrived, lost: 0, twice: 0, windowValues: 0, windowMs: 0 };
    return { tries: flips, outcomes: [outcome], problems };
  },
};

/**
 * @param {Round} round
 * @param {string} history
 */
function ask(round, history) {
  return round.command(['query', history, '--metric', 'chaos.batch', '--json']);
}
