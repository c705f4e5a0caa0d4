/**
 * The wall clock of a service is set, forward and back, while it writes a log and sends OTLP. Receivers drop or delay points with a time
 * before that of the last ones, so the times of requests go on.
 */
import { writeFile } from 'node:fs/promises';
import { Arrivals, readLogs } from '../arrived.js';
import { compare, nothing } from '../ledger.js';
import { serveReceiver } from '../receiver.js';

/** @import { Scenario } from '../scenario.js' */

const steps = 6;
const hourMs = 3_600_000;

/** @type {Scenario} */
export const clockSteps = {
  name: 'clock-steps',
  promise: 'a log and a receiver have every value once, however the wall clock is set',
  window: 'nothing',
  mostWindowMs: 0,
  async run(round) {
    const { random } = round;
    const clock = round.path('clock');
    await writeFile(clock, '0');
    const receiver = await serveReceiver(round);
    const path = round.path('service.hlog');
    const temporality = random.of(/** @type {const} */ (['delta', 'cumulative']));
    const service = await round.service(
      {
        log: {
          path,
          intervalMs: random.of([20, 50]),
          aligned: random.oneIn(2),
          rotation: { everyMs: random.of([500, hourMs, 24 * hourMs]) },
        },
        otlp: receiver.options({ temporality, intervalMs: 50 }),
      },
      { environment: { CHAOS_CLOCK: clock } },
    );
    for (let i = 0; i < steps; i++) {
      await round.pause(400, 150);
      // The first step shows that steps reach the service.
      const stepMs = i === 0 ? hourMs : random.of([10, 1000, hourMs, 48 * hourMs]) * (1 + random.below(3));
      await writeFile(clock, String(random.oneIn(2) ? stepMs : -stepMs));
    }
    await round.pause(400, 200);
    await service.stop();

    const ledger = round.ledger(service.run);
    const written = await readLogs(path);
    const problems = [...written.malformed, ...receiver.problems()];
    const nowMs = Date.now();
    if (!written.intervals.some(({ startTimeMs }) => Math.abs(startTimeMs - nowMs) > hourMs / 2)) {
      problems.push('no step has reached the service');
    }
    if (written.intervals.some(({ lengthMs }) => lengthMs < 0))
      problems.push('an interval is shorter than 0');
    const sent = new Arrivals();
    await sent.takeAll(receiver.registry);
    return {
      tries: steps,
      outcomes: [
        compare(ledger, written.of(service.run), nothing),
        compare(ledger, sent.of(service.run), nothing),
      ],
      problems,
    };
  },
};
