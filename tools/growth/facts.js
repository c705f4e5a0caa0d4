/** What `main.js` asks of `step.js`, and what that answers. */

/** @import { Temporality } from '../bench/instruments.js' */

/**
 * @typedef {object} Step
 * @property {Subject} subject
 * @property {number} series
 * @property {readonly Temporality[]} readers
 *
 * @typedef {'hdrscope' | 'SDK explicit buckets'} Subject
 *
 * @typedef {typeof CHANGED[number]} Changed
 *
 * @typedef {object} Cost Of a collection.
 * @property {Changed} changed
 * @property {number} ms the median
 * @property {number} blockMs the longest one of several
 *
 * @typedef {object} Facts
 * @property {number} bytes of a series, with what its readers keep of it
 * @property {readonly Cost[]} costs none for two readers
 *
 * @typedef {Step & Facts} Measured
 */

/** How many of the series get a value before each collection. */
export const CHANGED = /** @type {const} */ (['none', '1 %', 'all']);
