import { parentPort, workerData } from 'node:worker_threads';
import { Histogram } from '@hdrscope/core';
import autocannon, { type Client } from 'autocannon';
import { LOAD_USER_AGENT, trafficOf } from './traffic.ts';

/** What this thread is started with. */
export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
}

/** What this thread tells: that it has begun, and what came of it. */
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
const tell = (message: FromWorker): void => parentPort!.postMessage(message);

const latency = new Histogram({ highestTrackableValue: 3_600_000_000_000, significantDigits: 3 });
const clients: Client[] = [];

const run = autocannon(
  {
    url,
    connections,
    // Ended by `stop`, not by the clock, which would cut off what is on its way. This is as long as a timer can be.
    duration: 2_147_483,
    // The result comes with the sample after the last answer.
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
    tell({ kind: 'done', answers, errors, latency: latency.encode() });
    parentPort!.close();
  },
);
run.on('response', (_client, _status, _bytes, responseTimeMs: number) =>
  latency.record(responseTimeMs * 1e6),
);
run.once('start', () => tell({ kind: 'started' }));

// `instance.stop()` of autocannon cuts connections, and then nobody can say which of the last requests were served.
// So each connection is told instead that the requests it has sent are all: it is done with the answer to the last.
parentPort!.once('message', () => {
  for (const client of clients) client.responseMax = client.reqsMade;
});
