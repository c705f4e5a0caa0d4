/** The threads that record, as the main thread sees them. */
import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { collectFrom } from '@hdrscope/registry';

/** @import { Registry } from '@hdrscope/registry' */
/** @import { Memory } from './memory.js' */

export class RecorderThread {
  #control;

  /**
   * Starts a thread whose registry is collected from.
   *
   * @param {Registry} registry
   * @param {number} perSecond values per second
   */
  constructor(registry, perSecond) {
    const { port1, port2: control } = new MessageChannel();
    const worker = new Worker(new URL('./recorder-worker.js', import.meta.url), {
      workerData: { control, perSecond },
      transferList: [control],
    });
    collectFrom(registry, worker);
    this.#control = port1;
    this.ready = once(port1, 'message');
  }

  start() {
    this.#control.postMessage('start');
  }

  /** @returns {Promise<Memory>} */
  memory() {
    return this.#ask('memory');
  }

  /**
   * Sends the last state of the registry, and ends the thread.
   *
   * @returns {Promise<Float64Array>} recorded values by series
   */
  stop() {
    return this.#ask('stop');
  }

  /** @param {string} request */
  async #ask(request) {
    this.#control.postMessage(request);
    const [answer] = await once(this.#control, 'message');
    return answer;
  }
}
