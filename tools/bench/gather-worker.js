/** A thread with a registry of its own. Each message on the control port changes all of its series. */
import { parentPort, workerData } from 'node:worker_threads';
import { createRegistry, serveRegistry } from '@hdrscope/registry';
import { Load } from './instruments.js';

/** @type {{ control: import('node:worker_threads').MessagePort, family: import('@hdrscope/registry').FamilyOptions, series: number }} */
const { control, family, series } = workerData;

const registry = createRegistry();
const histogram = registry.histogram(family);
const load = new Load(
  { record: (value, attributes = {}) => histogram.with(attributes).record(value) },
  series,
);
load.fill();
serveRegistry(registry, /** @type {import('node:worker_threads').MessagePort} */ (parentPort));

control.on('message', () => {
  load.change(series);
  control.postMessage(load.recorded);
});
