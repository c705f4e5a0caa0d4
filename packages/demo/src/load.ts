import { Worker } from 'node:worker_threads';
import { Histogram } from '@hdrscope/core';
import type { FromWorker, LoadOptions } from './load-worker.ts';

/** The results of the load client. */
export interface LoadReport {
  /** Answers by status code, as autocannon counts them. */
  readonly answers: ReadonlyMap<number, number>;
  /** Failed connections and timeouts: requests that may have been served but got no answer. */
  readonly errors: number;
  /** Latencies by the client's clock, in nanoseconds. */
  readonly latency: Histogram;
}

/** A running load. */
export interface Load {
  /** Resolves after `stop`. Rejects when the load client fails. */
  readonly report: Promise<LoadReport>;
  /** Ends the load. Requests that have been sent still get their answers. */
  stop(): void;
}

/**
 * Starts the load. The promise resolves when the first requests are on their way.
 *
 * The client runs in its own thread. In the service's thread it would compete with the service: on two cores, the
 * service's own p99.9 of `POST /login` was then 62 to 75 ms, compared with 14 to 19 ms for a separate thread. A separate
 * process gave 16 to 28 ms, no better than a thread, and would have to ignore Ctrl-C.
 */
export function startLoad(options: LoadOptions): Promise<Load> {
  const worker = new Worker(new URL('./load-worker.js', import.meta.url), { workerData: options });
  const report = new Promise<LoadReport>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind !== 'done') return;
      const { answers, errors, latency } = message;
      resolve({ answers, errors, latency: Histogram.decode(latency) });
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the load client ended without a report')));
  });
  const stop = (): void => worker.postMessage('stop');
  return new Promise((resolve, reject) => {
    worker.once('message', () => resolve({ report, stop }));
    report.catch(reject);
  });
}
