/** The receiver of a service is killed and frozen, while the service sends OTLP. */

import { readFile } from 'node:fs/promises';
import { freePort } from '../../lib/free-port.js';
import { Arrivals } from '../arrived.js';
import { compare, nothing } from '../ledger.js';
import { serveReceiver } from '../receiver.js';

/** @import { Scenario } from '../scenario.js' */

const times = 4;

/** @type {Scenario} */
export const receiverGone = {
  name: 'receiver-gone',
  promise:
    'a receiver that keeps what it has taken has every value once, however often it is killed or frozen',
  window: 'nothing',
  mostWindowMs: 0,
  async run(round) {
    const { random } = round;
    const port = await freePort();
    const file = round.path('requests');
    const start = async () => {
      const receiver = round.script('raw-receiver', { port, file });
      await receiver.printed(/ready/);
      return receiver;
    };
    let receiver = await start();
    const service = await round.service({
      otlp: {
        url: `http://127.0.0.1:${port}/v1/metrics`,
        histograms: 'explicit',
        temporality: random.of(['delta', 'cumulative']),
        intervalMs: 20,
        timeoutMs: 300,
      },
    });
    for (let i = 0; i < times; i++) {
      await round.pause(500, 100);
      if (random.oneIn(2)) {
        receiver.signal('SIGSTOP');
        await round.pause(1000, 100);
        receiver.signal('SIGCONT');
      } else {
        await receiver.kill();
        await round.pause(1000);
        receiver = await start();
      }
    }
    await round.pause(500, 200);
    // The stop of a sender is one attempt, and the receiver works.
    await service.stop();

    const replayed = await serveReceiver(round);
    for (const body of bodiesIn(await readFile(file))) {
      const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };
      const { status } = await fetch(replayed.options({}).url, { method: 'POST', headers, body });
      if (status !== 200) throw new Error(`the receiver answers ${status}`);
    }
    const arrivals = new Arrivals();
    await arrivals.takeAll(replayed.registry);
    const ledger = round.ledger(service.run);
    return {
      tries: times,
      outcomes: [compare(ledger, arrivals.of(service.run), nothing)],
      problems: replayed.problems(),
    };
  },
};

/**
 * The bodies in the file of `raw-receiver.js`. It may have been killed before it wrote the whole of the last one.
 *
 * @param {Buffer} bytes
 */
function* bodiesIn(bytes) {
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return;
    yield bytes.subarray(at + 4, end);
    at = end;
  }
}
