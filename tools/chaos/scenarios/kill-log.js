/** A service that writes an interval log is killed, again and again. Its log is followed meanwhile. */
import { appendFile, stat } from 'node:fs/promises';
import { followLog } from '@hdrscope/interval-log';
import { Arrivals, readLogs } from '../arrived.js';
import { afterTheLast, compare, nothing } from '../ledger.js';
import { waitFor } from '../processes.js';

/** @import { Round, Scenario } from '../scenario.js' */

const kills = 5;

/** @type {Scenario} */
export const killLog = {
  name: 'kill-log',
  promise: 'an interval log outlives `kill -9` of its service, and whoever follows it goes on',
  window: 'since the last interval that was written',
  mostWindowMs: 3000,
  async run(round) {
    const { random } = round;
    const path = round.path('service.hlog');
    const log = {
      path,
      intervalMs: random.of([20, 50, 100]),
      rotation: { sizeBytes: random.of([4000, 20_000, 1e9]), gzip: random.oneIn(2) },
    };
    const followed = new Arrivals();
    const ending = new AbortController();
    /** @type {string[]} */
    const lost = [];
    round.atEnd(() => ending.abort());
    const following = (async () => {
      for await (const entry of followLog(path, { signal: ending.signal, pollMs: 50 })) {
        if (entry.kind === 'lost') lost.push(`the follower reports lost lines: ${entry.reason}`);
        else if ('lineNumber' in entry) followed.take(entry);
      }
    })();
    for (let i = 0; i < kills; i++) {
      // Some are killed while they start.
      const service = round.startService({ log });
      if (!random.oneIn(5)) await service.printed(/ready/);
      await round.pause(600);
      await service.kill();
      await tear(round, path);
    }
    const last = await round.service({ log });
    await round.pause(500, 200);
    await last.stop();

    const written = await readLogs(path);
    const ledgers = round.ledgers();
    const outcomesOf = (/** @type {Arrivals} */ arrivals) =>
      ledgers.map((ledger) => {
        const arrived = arrivals.of(ledger.run);
        return compare(ledger, arrived, ledger.run === last.run ? nothing : afterTheLast(ledger, arrived));
      });
    // The follower may be some milliseconds behind.
    const sum = (/** @type {Arrivals} */ arrivals) =>
      outcomesOf(arrivals).reduce((total, { arrived }) => total + arrived, 0);
    await waitFor('the end of the log', () => sum(followed) >= sum(written), 3000).catch(() => {});
    ending.abort();
    await following;
    return {
      tries: kills,
      outcomes: [...outcomesOf(written), ...outcomesOf(followed)],
      problems: [
        ...written.malformed.map((message) => `the log: ${message}`),
        ...followed.malformed.filter((message) => !isTorn(message)),
        ...lost,
      ],
    };
  },
};

/** A line that its writer did not end, and that the next writer has cut off. */
const marks = ['', 'Tag=chaos.batch?lane=0&run=%22torn%22,1.0', 'Tag=chaos.ba', '\0\0\0\0\0\0\0\0'];

/**
 * Adds what a process may leave that dies within a write. The system writes short lines at once, so that is rare.
 *
 * @param {Round} round
 * @param {string} path
 */
async function tear({ random }, path) {
  const torn = random.of(marks);
  const size = await stat(path).then(
    (status) => status.size,
    () => 0,
  );
  // The first line of a log is its header.
  if (size > 0) await appendFile(path, torn);
}

/** @param {string} message */
function isTorn(message) {
  return message.includes('torn');
}
