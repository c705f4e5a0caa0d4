/** A service that sends OTLP is killed, again and again. Half of those that send deltas have a queue on disk. */
import { Arrivals } from '../arrived.js';
import { afterTheLast, compare, nothing } from '../ledger.js';
import { serveReceiver } from '../receiver.js';

/** @import { Scenario } from '../scenario.js' */

const kills = 5;

/** @type {Scenario} */
export const killOtlp = {
  name: 'kill-otlp',
  promise: 'a receiver has each value of a service that is killed at most once',
  window: 'since the last request that was taken',
  mostWindowMs: 3000,
  async run(round) {
    const { random } = round;
    const receiver = await serveReceiver(round);
    const temporality = random.of(/** @type {const} */ (['delta', 'cumulative']));
    const otlp = receiver.options({
      temporality,
      intervalMs: random.of([20, 100]),
      ...(temporality === 'delta' && random.oneIn(2) && { queue: { folder: round.path('queue') } }),
    });
    for (let i = 0; i < kills; i++) {
      const service = round.startService({ otlp });
      if (!random.oneIn(5)) await service.printed(/ready/);
      await round.pause(600);
      await service.kill();
    }
    const last = await round.service({ otlp });
    await round.pause(500, 200);
    await last.stop();

    const arrivals = new Arrivals();
    await arrivals.takeAll(receiver.registry);
    const outcomes = round.ledgers().map((ledger) => {
      const arrived = arrivals.of(ledger.run);
      return compare(ledger, arrived, ledger.run === last.run ? nothing : afterTheLast(ledger, arrived));
    });
    return { tries: kills, outcomes, problems: receiver.problems() };
  },
};
