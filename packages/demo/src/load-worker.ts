import { parentPort, workerData } from 'node:worker_threads';
import { Histogram } from '@hdrscope/core';
import autocannon, { type Client } from 'autocannon';
import { LOAD_USER_AGENT, trafficOf } from './traffic.ts';

/** Options of the load. */
export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
}

/** The messages of this thread: that the load has started, and its result. */
export type FromWorker =
  | { readonly kind: 'started' }
  | {
      readonly kind: 'done';
      readonly answers: ReadonlyMap<number, number>;
      readonly errors: number;
      /** V2-encoded. */
      readonly latency: Uint8Array<ArrayBuffer>;
    };

const { url, connections } = workerData as LoadOptions;
const send = (message: FromWorker): void => parentPort!.postMessage(message);

const latency = new Histogram({ highestTrackableValue: 3_600_000_000_000, significantDigits: 3 });
const clients: Client[] = [];

const run = autocannon(
  {
    url,
    connections,
    // The longest duration of a timer. A message ends the load: the clock would cut off running requests.
    duration: 2_147_483,
    // The result comes with the next sample after the last answer.
    sampleInt: 100,
    headers: { 'user-agent': LOAD_USER_AGENT },
    setupClient: (client) => {
      client.setRequests(trafficOf(clients.length, connections));
      clients.push(client);
    },
  },
  (error, result) => {
    if (error) throw error;
    const { statusCodeStats, errors } = result;
    const answers = new Map(
      Object.entries(statusCodeStats).map(([status, { count }]) => [Number(status), count]),
    );
    send({ kind: 'done', answers, errors, latency: latency.encode() });
    parentPort!.close();
  },
);
run.on('response', (_client, _status, _bytes, responseTimeMs: number) =>
  latency.record(responseTimeMs * 1e6),
);
run.once('start', () => send({ kind: 'started' }));

// `instance.stop()` of autocannon cuts connections, which leaves it open whether the last requests were served. Instead,
// the limit of each connection becomes the number of requests that it has sent: it ends with the answer to the last one.
parentPort!.once('message', () => {
  for (const client of clients) client.responseMax = client.reqsMade;
});
