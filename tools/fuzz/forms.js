/** The forms of inputs: bytes, a text, a text of JSON, or a value that a port hands over. */
import { mutateBytes, mutateText, mutateTree, ODD_VALUES } from './mutate.js';

/**
 * @typedef {import('../lib/random.js').Random} Random
 * @typedef {any} Input
 *
 * @typedef {object} Form
 * @property {string} extension Of the files in `regressions`.
 * @property {(random: Random, seeds: readonly Input[], words: readonly string[]) => Input} make
 * @property {(input: Input) => Uint8Array} toFile
 * @property {(bytes: Uint8Array) => Input} fromFile
 * @property {(input: Input) => Iterable<Input>} smaller Simpler inputs, the simplest first.
 */

/** @type {Form} */
const BYTES = {
  extension: 'bin',
  make: (random, seeds) =>
    random.oneIn(100) ? random.of(seeds) : mutateBytes(random, random.of(seeds), seeds),
  toFile: (input) => input,
  fromFile: (bytes) => bytes,
  *smaller(input) {
    for (const [from, to] of cuts(input.length))
      yield Buffer.concat([input.subarray(0, from), input.subarray(to)]);
    for (let at = 0; at < Math.min(input.length, 512); at++) {
      if (input[at] === 0) continue;
      const simpler = Buffer.from(input);
      simpler[at] = 0;
      yield simpler;
    }
  },
};

/** @type {Form} */
const TEXT = {
  extension: 'txt',
  make: (random, seeds, words) =>
    random.oneIn(100) ? random.of(seeds) : mutateText(random, random.of(seeds), seeds, words),
  // Not as UTF-8, which has no lone surrogates.
  toFile: (input) => Buffer.from(JSON.stringify(input)),
  fromFile: (bytes) => JSON.parse(Buffer.from(bytes).toString()),
  *smaller(input) {
    for (const [from, to] of cuts(input.length)) yield input.slice(0, from) + input.slice(to);
  },
};

/** @type {Form} */
const JSON_TEXT = {
  ...TEXT,
  make: (random, seeds, words) => {
    if (random.oneIn(3)) return TEXT.make(random, seeds, words);
    return JSON.stringify(mutateTree(random, JSON.parse(random.of(seeds)))) ?? 'null';
  },
};

/** A value with what JSON cannot hold written as `{ "$": … }`. */
const ODD_MESSAGES = [
  ...ODD_VALUES,
  ...[
    'undefined',
    'NaN',
    'Infinity',
    '-Infinity',
    '-0',
    'bigint',
    'hole',
    'map',
    'date',
    'buffer',
    'floats',
  ].map((name) => ({ $: name })),
];

/** @type {Form} */
const MESSAGE = {
  extension: 'json',
  make: (random, seeds) => mutateTree(random, random.of(seeds), ODD_MESSAGES, 300),
  toFile: (input) => Buffer.from(JSON.stringify(input)),
  fromFile: (bytes) => JSON.parse(Buffer.from(bytes).toString()),
  *smaller(input) {
    yield* smallerTrees(input);
  },
};

/** @type {Record<'bytes' | 'text' | 'json' | 'message', Form>} */
export const FORMS = { bytes: BYTES, text: TEXT, json: JSON_TEXT, message: MESSAGE };

/**
 * The value that the text of a message stands for.
 *
 * @param {any} json
 * @returns {any}
 */
export function revive(json) {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) {
    const array = json.map(revive);
    for (const [i, value] of json.entries()) if (value?.$ === 'hole') delete array[i];
    return array;
  }
  if (typeof json.$bytes === 'string') return new Uint8Array(Buffer.from(json.$bytes, 'base64')).buffer;
  switch (json.$) {
    case 'hole':
    case 'undefined':
      return undefined;
    case 'NaN':
    case 'Infinity':
    case '-Infinity':
    case '-0':
      return Number(json.$);
    case 'bigint':
      return 2n ** 63n;
    case 'map':
      return new Map([[1, 2]]);
    case 'date':
      return new Date(Number.NaN);
    case 'buffer':
      return new ArrayBuffer(24);
    case 'floats':
      return Float64Array.of(1, Number.NaN, -1);
    default:
      return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, revive(value)]));
  }
}

/**
 * The text that stands for a value.
 *
 * @param {any} value
 * @returns {any}
 */
export function written(value) {
  if (value === undefined) return { $: 'undefined' };
  if (value instanceof ArrayBuffer) return { $bytes: Buffer.from(value).toString('base64') };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    return { $: Object.is(value, -0) ? '-0' : String(value) };
  }
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, written(one)]));
}

/**
 * The parts to cut out of something: halves first, single elements last.
 *
 * @param {number} length
 * @returns {Generator<[from: number, to: number]>}
 */
function* cuts(length) {
  for (let size = Math.ceil(length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < length; from += size) yield [from, Math.min(length, from + size)];
  }
}

/**
 * @param {any} tree
 * @returns {Generator<any>}
 */
function* smallerTrees(tree) {
  if (typeof tree !== 'object' || tree === null || '$' in tree || '$bytes' in tree) return;
  const keys = Object.keys(tree);
  /** @param {(copy: any) => void} change */
  const changed = (change) => {
    const copy = Array.isArray(tree) ? [...tree] : { ...tree };
    change(copy);
    return copy;
  };
  if (Array.isArray(tree))
    for (const [from, to] of cuts(tree.length)) yield changed((copy) => copy.splice(from, to - from));
  else for (const key of keys) yield changed((copy) => delete copy[key]);
  for (const key of keys) {
    for (const smaller of smallerTrees(tree[key])) {
      yield changed((copy) => {
        copy[key] = smaller;
      });
    }
  }
}
