/** The results as Markdown. */
import { DISTRIBUTIONS } from '@hdrscope/testing/distributions';
import { RANDOM } from './errors.js';

/** @import { Cost } from './costs.js' */
/** @import { Errors } from './errors.js' */
/** @import { Setting, Size } from './settings.js' */

/** The largest relative distance of a value from the middle of its HDR slot, by digits. */
const SLOT_ERRORS = [0, 2 ** -5, 2 ** -8, 2 ** -11];

/**
 * The largest error of all draws of each known distribution.
 *
 * @param {readonly Setting[]} settings
 * @param {Errors} errors
 */
export function namedTable(settings, errors) {
  return table(
    ['digits', '`maxBuckets`', ...DISTRIBUTIONS],
    settings.map((setting) => [
      ...nameCells(setting),
      ...DISTRIBUTIONS.map((name) => percents(find(errors, setting, [name]).map((all) => share(all, 1)))),
    ]),
  );
}

/**
 * The errors of all distributions, their bound, and the sizes of the random ones.
 *
 * @param {readonly Setting[]} settings
 * @param {Errors} errors
 * @param {ReadonlyMap<string, Size>} sizes By the name of the setting.
 */
export function errorTable(settings, errors, sizes) {
  return table(
    [
      ...['digits', '`maxBuckets`', 'known, worst', 'random, 99 of 100', 'random, worst', 'bound'],
      ...['buckets used', 'protobuf', 'text'],
    ],
    settings.map((setting) => {
      const size = /** @type {Size} */ (sizes.get(setting.name));
      const known = find(errors, setting, DISTRIBUTIONS);
      const random = find(errors, setting, [RANDOM]);
      return [
        ...nameCells(setting),
        percents(known.map((all) => share(all, 1))),
        percents(random.map((all) => share(all, 0.99))),
        percents(random.map((all) => share(all, 1))),
        percents([boundOf(setting, size)]),
        String(Math.round(size.buckets)),
        ...[size.protobufBytes, size.textBytes].map((each) => bytes(each)),
      ];
    }),
  );
}

/** @param {readonly Cost[]} costs */
export function costTable(costs) {
  return table(
    [
      ...['digits', '`maxBuckets`', 'half of the routes', '99 of 100', 'worst', 'buckets used'],
      ...['protobuf, with gzip', 'OTLP, with gzip', 'memory', 'disk'],
    ],
    costs.map(({ setting, size, errors, ...cost }) => {
      const sorted = ascending(errors);
      return [
        ...nameCells(setting),
        ...[0.5, 0.99, 1].map((part) => percents([share(sorted, part)])),
        `${Math.round(size.buckets)}`,
        bytes(size.protobufBytes, size.protobufGzipBytes),
        bytes(cost.otlpBytes, cost.otlpGzipBytes),
        `${(cost.liveBytes / 1000).toFixed(1)} kB`,
        bytes(cost.storedBytes),
      ];
    }),
  );
}

/**
 * A quantile in a bucket is at most as large as its upper end, and its value at least as large as the lower end less half a slot.
 *
 * @param {Setting} setting
 * @param {Size} size
 */
function boundOf({ digits = 0 }, { lowestSchema }) {
  return 2 ** (2 ** -lowestSchema) * (1 + (SLOT_ERRORS[digits] ?? 0)) - 1;
}

/** @param {Setting} setting */
function nameCells({ digits, buckets }) {
  return [digits === undefined ? "the SDK's own" : String(digits), String(buckets)];
}

/**
 * @param {Errors} errors
 * @param {Setting} setting
 * @param {readonly string[]} distributions
 * @returns {number[][]} For each version of Prometheus, the errors of all draws, ascending.
 */
function find(errors, { name }, distributions) {
  return [...errors.values()].map((bySetting) =>
    ascending(distributions.flatMap((distribution) => bySetting.get(name)?.get(distribution) ?? [])),
  );
}

/** @param {readonly number[]} values */
const ascending = (values) => [...values].sort((a, b) => a - b);

/**
 * @param {readonly number[]} sorted
 * @param {number} part
 */
const share = (sorted, part) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;

/**
 * Those of all versions of Prometheus, or a single one when they are equal.
 *
 * @param {readonly number[]} shares
 */
function percents(shares) {
  return `${[...new Set(shares.map((one) => (100 * one).toFixed(2)))].join(' / ')} %`;
}

/** @param {readonly number[]} amounts */
function bytes(...amounts) {
  return `${amounts.map((amount) => Math.round(amount)).join(', ')} B`;
}

/**
 * @param {readonly string[]} header
 * @param {readonly (readonly string[])[]} rows
 */
function table(header, rows) {
  return [header, header.map(() => '--:'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
