/** The clients, as the main thread sees them. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** @import { Output } from './soak.js' */

/**
 * @typedef {object} ClientReport
 * @property {Output} scrapes
 * @property {Output} page
 * @property {number[]} scrapeMs the durations of all scrapes
 */

export class Clients {
  #worker;

  /** @param {{ scrapeUrl: string, eventsUrl: string }} addresses */
  constructor(addresses) {
    this.#worker = new Worker(new URL('./clients-worker.js', import.meta.url), { workerData: addresses });
  }

  /**
   * Scrapes once more, waits until the page shows a snapshot of a later time than now, and ends the clients.
   *
   * @returns {Promise<ClientReport>}
   */
  async finish() {
    this.#worker.postMessage({ afterMs: Date.now() });
    const [report] = await once(this.#worker, 'message');
    return report;
  }
}
