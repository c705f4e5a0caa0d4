/** The series of the soak, and the values that are recorded into them. */
import { seconds } from '../bench/values.js';

/** @import { Attributes, Registry } from '@hdrscope/registry' */

export const seriesCount = 2000;

/** The same family in all threads. */
const family = { name: 'job.duration', unit: 's', significantDigits: 2, cardinalityLimit: 2 * seriesCount };

/** The attribute that distinguishes the series. */
const queueKey = 'job.queue';

/**
 * @param {number} series
 * @returns {Attributes}
 */
function attributesOf(series) {
  return { [queueKey]: `queue-${series}`, 'job.kind': 'mail', 'job.attempt': 1 };
}

/**
 * The number of a series, by its attributes or labels.
 *
 * @param {Readonly<Record<string, unknown>>} attributes
 */
export function seriesOf(attributes) {
  return Number(String(attributes[queueKey] ?? attributes.job_queue).slice('queue-'.length));
}

/** Values that each recorder gives each series before the soak begins, so that most slots have their memory by then. */
const valuesBefore = 1000;

const turnMs = 10;

/** Records at a bounded rate, and counts what it has recorded. */
export class Recorder {
  /** Recorded values by series. */
  counts = new Float64Array(seriesCount);
  #values = seconds();
  #recorded = 0;
  #startMs = 0;
  #due = 0;
  /** @type {NodeJS.Timeout | undefined} */ #timer;

  /**
   * @param {Registry} registry
   * @param {number} perSecond values per second, over all series
   */
  constructor(registry, perSecond) {
    const histogram = registry.histogram(family);
    this.series = Array.from({ length: seriesCount }, (_, i) => histogram.with(attributesOf(i)));
    this.perSecond = perSecond;
    for (let i = 0; i < valuesBefore * seriesCount; i++) this.#record();
  }

  start() {
    this.#startMs = performance.now();
    this.#timer = setInterval(() => this.#turn(), turnMs);
  }

  stop() {
    clearInterval(this.#timer);
  }

  #turn() {
    const due = ((performance.now() - this.#startMs) / 1000) * this.perSecond;
    // A thread that was held up does not make up for it in one turn.
    const most = (this.perSecond / 1000) * turnMs * 5;
    for (let left = Math.min(due - this.#due, most); left >= 1; left--) this.#record();
    this.#due = due;
  }

  #record() {
    // The multiplier is coprime to the number of series, so that they take turns in an order that is hard to predict.
    const series = (this.#recorded * 1327) % seriesCount;
    const value = this.#values[(this.#recorded + series) & (this.#values.length - 1)];
    this.series[series]?.record(/** @type {number} */ (value));
    this.counts[series] = /** @type {number} */ (this.counts[series]) + 1;
    this.#recorded++;
  }
}
