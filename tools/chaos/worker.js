/** A thread or a process that records into a registry of its own, which its host collects. */
import { parentPort } from 'node:worker_threads';
import { createRegistry, serveRegistry } from '@hdrscope/registry';
import { BatchRecorder } from './recorder.js';

const port = parentPort ?? process;
const registry = createRegistry();
const recorder = new BatchRecorder(registry, JSON.parse(/** @type {string} */ (process.env.CHAOS_RECORDER)));
const stop = serveRegistry(registry, /** @type {import('@hdrscope/registry').RemotePort} */ (port));

port.on('message', async (message) => {
  if (message !== 'end') return;
  recorder.stop();
  await stop();
  process.exit(0);
});
recorder.start();
if (parentPort === null) {
  process.send?.('ready');
  // Its host is gone.
  process.on('disconnect', () => process.exit(0));
} else parentPort.postMessage('ready');
