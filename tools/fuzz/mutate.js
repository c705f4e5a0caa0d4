/** Changes inputs at random: bytes, texts, and the trees of JSON. */

/** @typedef {import('../lib/random.js').Random} Random */

/** No input becomes longer, except by the bytes that one change inserts. */
const LONGEST = 32 * 1024;

const EDGE_BYTES = [0, 1, 2, 0x0a, 0x0d, 0x20, 0x22, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0xfe, 0xff];
const EDGE_TEXTS = [
  ...[
    '',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '\0',
    '"',
    "'",
    '\\',
    ',',
    ':',
    ';',
    '=',
    '#',
    '-',
    '.',
    '%',
    '/',
    '[',
    ']',
    '{',
    '}',
  ],
  ...[
    '0',
    '-1',
    '-0',
    '1e308',
    '1e309',
    '1e-320',
    '0x10',
    'NaN',
    'Infinity',
    '-Infinity',
    'nan',
    'null',
    'true',
    '1_000',
  ],
  ...['2147483648', '4294967296', '9007199254740993', '9223372036854775807', '18446744073709551616'],
  ...[
    '\u001b[31m',
    '\u009b',
    '\u202e',
    '\u2028',
    '\ufeff',
    '\ud800',
    '\u00b5',
    '\ud83d\ude00',
    '__proto__',
    'constructor',
  ],
];

/** Values of JSON that readers tend to forget. */
export const ODD_VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1,
  0.5,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e300,
  '',
  '0',
  '-1',
  '1.5',
  '9223372036854775807',
  '18446744073709551616',
  'x',
  '__proto__',
  '\u001b\u202e',
  [],
  {},
  [null],
  [[]],
  // A key of this name, which a literal cannot have.
  JSON.parse('{"__proto__":{"x":1}}'),
];

/**
 * One change in most cases: an input with several mistakes is refused for the first.
 *
 * @param {Random} random
 */
function changeCount(random) {
  return random.oneIn(3) ? 2 + random.below(3) : 1;
}

/**
 * @param {Random} random
 * @param {Uint8Array} seed
 * @param {readonly Uint8Array[]} others Parts of these are inserted.
 * @returns {Uint8Array}
 */
export function mutateBytes(random, seed, others) {
  let bytes = Buffer.from(seed);
  for (let changes = changeCount(random); changes > 0; changes--) {
    const at = random.below(bytes.length + 1);
    const length = random.below(Math.min(64, bytes.length - at) + 1);
    switch (random.below(9)) {
      case 0:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
        break;
      case 1:
        bytes = bytes.subarray(0, at);
        break;
      case 2: {
        const other = random.of(others);
        const from = random.below(other.length + 1);
        const part = other.subarray(from, from + random.below(256));
        bytes = Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at + random.below(2) * length)]);
        break;
      }
      case 3: {
        const part = bytes.subarray(at, at + length);
        const times = random.oneIn(8) ? Math.ceil(LONGEST / Math.max(1, part.length)) : random.below(8);
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          ...Array.from({ length: times }, () => part),
          bytes.subarray(at),
        ]);
        break;
      }
      case 4:
        if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
        break;
      case 5:
        if (at + 4 <= bytes.length)
          bytes.writeInt32BE(random.of([0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 65_536, bytes.length]), at);
        break;
      default:
        if (at < bytes.length) bytes[at] = random.oneIn(2) ? random.of(EDGE_BYTES) : random.below(256);
    }
    if (bytes.length > LONGEST) bytes = bytes.subarray(0, LONGEST);
  }
  return bytes;
}

/**
 * @param {Random} random
 * @param {string} seed
 * @param {readonly string[]} others Parts of these are inserted.
 * @param {readonly string[]} words Of the format.
 * @returns {string}
 */
export function mutateText(random, seed, others, words) {
  let text = seed;
  for (let changes = changeCount(random); changes > 0; changes--) {
    const at = random.below(text.length + 1);
    const end = at + random.below(Math.min(40, text.length - at) + 1);
    const [before, part, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
    switch (random.below(10)) {
      case 0:
        text = before + after;
        break;
      case 1:
        text = before;
        break;
      case 2: {
        const other = random.of(others);
        const from = random.below(other.length + 1);
        text =
          before + other.slice(from, from + random.below(200)) + (random.oneIn(2) ? after : part + after);
        break;
      }
      case 3: {
        const times = random.oneIn(8) ? Math.ceil(LONGEST / Math.max(1, part.length)) : random.below(8);
        text = before + part.repeat(times) + after;
        break;
      }
      case 4:
        text =
          before + String.fromCharCode(random.oneIn(4) ? random.below(65_536) : random.below(128)) + after;
        break;
      case 5: {
        const lines = text.split('\n');
        const [line = ''] = lines.splice(random.below(lines.length), 1);
        if (random.oneIn(2)) lines.splice(random.below(lines.length + 1), 0, line, line);
        text = lines.join('\n');
        break;
      }
      case 6:
        text = withOtherNumber(random, text);
        break;
      default: {
        const word = random.of(words.length > 0 && random.oneIn(2) ? words : EDGE_TEXTS);
        text =
          before +
          word.repeat(random.oneIn(20) ? Math.ceil(LONGEST / 4 / Math.max(1, word.length)) : 1) +
          (random.oneIn(2) ? after : part + after);
      }
    }
    if (text.length > LONGEST) text = text.slice(0, LONGEST);
  }
  return text;
}

/**
 * @param {Random} random
 * @param {string} text
 */
function withOtherNumber(random, text) {
  const numbers = [...text.slice(0, 4096).matchAll(/\d+/g)];
  if (numbers.length === 0) return text;
  const { index, 0: number } = random.of(numbers);
  return text.slice(0, index) + random.of(EDGE_TEXTS.slice(22)) + text.slice(index + number.length);
}

/**
 * Changes a tree of JSON at a few places.
 *
 * @param {Random} random
 * @param {unknown} seed
 * @param {readonly unknown[]} [odd] What may stand anywhere.
 * @param {number} [deepest] How deep a change may nest a part.
 * @returns {unknown}
 */
export function mutateTree(random, seed, odd = ODD_VALUES, deepest = 600) {
  const holder = { root: structuredClone(seed) };
  for (let changes = changeCount(random); changes > 0; changes--)
    changeSomewhere(random, holder, odd, deepest);
  return holder.root;
}

/**
 * @param {Random} random
 * @param {{ root: unknown }} holder
 * @param {readonly unknown[]} odd
 * @param {number} deepest
 */
function changeSomewhere(random, holder, odd, deepest) {
  /** @type {[any, string | number][]} */
  const places = [];
  /** @param {any} node */
  const visit = (node) => {
    if (typeof node !== 'object' || node === null || places.length > 5000) return;
    for (const key of Object.keys(node)) {
      places.push([node, Array.isArray(node) ? Number(key) : key]);
      visit(node[key]);
    }
  };
  visit(holder);
  const [parent, key] = random.of(places);
  const value = parent[key];
  switch (random.below(7)) {
    case 0:
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else if (parent !== holder) delete parent[key];
      break;
    case 1: {
      const [other, otherKey] = random.of(places);
      parent[key] = structuredClone(other[otherKey] ?? null);
      break;
    }
    case 2:
      if (Array.isArray(parent)) {
        const times = random.oneIn(10) ? 500 : 1;
        parent.splice(Number(key), 0, ...Array.from({ length: times }, () => structuredClone(value)));
      } else if (parent !== holder) {
        // An assignment to '__proto__' would set the prototype and make no key.
        const name = random.of(['', '__proto__', 'x', `${key}x`, '\u001b']);
        Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
      }
      break;
    case 3:
      parent[key] = nested(value, random.oneIn(10) ? deepest : 1 + random.below(3), random.oneIn(2));
      break;
    case 4:
      if (typeof value === 'number')
        parent[key] = random.of([-value, value + 1, value * 2 ** 32, 1 / value, `${value}`]) ?? 0;
      else if (typeof value === 'string') parent[key] = mutateText(random, value, [value], []);
      else parent[key] = structuredClone(random.of(odd));
      break;
    default:
      parent[key] = structuredClone(random.of(odd));
  }
}

/**
 * @param {unknown} value
 * @param {number} depth
 * @param {boolean} isArray
 */
function nested(value, depth, isArray) {
  let result = value;
  for (let i = 0; i < depth; i++) result = isArray ? [result] : { x: result };
  return result;
}
