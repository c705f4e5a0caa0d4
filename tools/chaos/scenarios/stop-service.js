/** A service is frozen, while it writes a log and sends OTLP. */
import { Arrivals, readLogs } from '../arrived.js';
import { compare, nothing } from '../ledger.js';
import { serveReceiver } from '../receiver.js';

/** @import { Scenario } from '../scenario.js' */

const stops = 4;

/** @type {Scenario} */
export const stopService = {
  name: 'stop-service',
  promise: 'a service that is frozen (`SIGSTOP`) and goes on has lost nothing and sends nothing twice',
  window: 'nothing',
  mostWindowMs: 0,
  async run(round) {
    const { random } = round;
    const receiver = await serveReceiver(round);
    const path = round.path('service.hlog');
    const service = await round.service({
      log: { path, intervalMs: random.of([20, 50]), rotation: { sizeBytes: random.of([8000, 1e9]) } },
      // Shorter than a stop, so that requests end without an answer.
      otlp: receiver.options({ temporality: 'delta', intervalMs: 20, timeoutMs: 200 }),
    });
    for (let i = 0; i < stops; i++) {
      await round.pause(400);
      service.signal('SIGSTOP');
      await round.pause(800);
      service.signal('SIGCONT');
    }
    await round.pause(400, 200);
    await service.stop();
    const ledger = round.ledger(service.run);
    const written = await readLogs(path);
    const sent = new Arrivals();
    await sent.takeAll(receiver.registry);
    return {
      tries: stops,
      outcomes: [written, sent].map((arrivals) => compare(ledger, arrivals.of(ledger.run), nothing)),
      problems: written.malformed,
    };
  },
};
