/** Counts in the main thread and in a worker thread, and ends. */
import { isMainThread, Worker } from 'node:worker_threads';
import { metrics } from '@opentelemetry/api';

metrics
  .getMeter('job')
  .createHistogram('job.size')
  .record(isMainThread ? 1 : 2);
if (isMainThread) {
  console.log('listening on 0');
  new Worker(new URL(import.meta.url));
}
