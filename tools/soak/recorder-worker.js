/** A thread that records into a registry of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { createRegistry, serveRegistry } from '@hdrscope/registry';
import { Recorder } from './load.js';
import { memoryOf } from './memory.js';

/** @import { MessagePort } from 'node:worker_threads' */

/** @type {{ control: MessagePort, perSecond: number }} */
const { control, perSecond } = workerData;

const registry = createRegistry();
const recorder = new Recorder(registry, perSecond);
const stop = serveRegistry(registry, /** @type {MessagePort} */ (parentPort));

control.on('message', async (request) => {
  if (request === 'start') recorder.start();
  if (request === 'memory') control.postMessage(memoryOf());
  if (request === 'stop') {
    recorder.stop();
    await stop();
    control.postMessage(recorder.counts);
    control.close();
  }
});
control.postMessage('ready');
