/**
 * Valid YAML of values, in the many ways in which people write it. The first line is a comment with the value in JSON, so that a target
 * can compare what both texts mean; its checksum shows that nothing has changed the text.
 */
import { createHash } from 'node:crypto';
import { mutateText } from './mutate.js';

/** @typedef {import('../lib/random.js').Random} Random */
/** @typedef {any} Value A value of JSON. */

const PLAIN = /^[A-Za-z_/][\w/.-]*(?: [A-Za-z_][\w/.-]*)*$/;
const NOT_TEXTS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const ODD = /[^\x20-\x7e]/;
const REFUSED = /^# refused (\w{8}) (.*)\n/;
const MARK = /^# means (\w{8}) (.*)\r?\n/;

/**
 * @param {Random} random
 * @param {Value} value
 * @returns {string}
 */
function yamlText(random, value) {
  const writer = new Writer(random, value);
  const start = random.of(['', '', '', '---\n', '%YAML 1.2\n---\n', '# a configuration\n\n']);
  let body = `${start}${writer.block(value, 0).replace(/^\n/, '')}\n${random.of(['', '', '# the end\n', '...\n'])}`;
  if (random.oneIn(6)) body = body.replaceAll('\n', '\r\n');
  return `# means ${checksum(body)} ${JSON.stringify(value)}\n${body}`;
}

/**
 * @param {string} text
 * @returns {string | undefined} The JSON of what a text means, unless the text has been changed.
 */
export function meaningOf(text) {
  const [mark, sum, json] = MARK.exec(text) ?? [];
  return mark !== undefined && checksum(text.slice(mark.length)) === sum ? json : undefined;
}

/**
 * A text of a value that must be refused. The first line has the place of what is wrong.
 *
 * @param {string} place As messages name it: `sinks[0].queue.folder`.
 * @param {Value} value
 */
export function refusedText(place, value) {
  const body = JSON.stringify(value);
  return `# refused ${checksum(body)} ${place}\n${body}`;
}

/**
 * @param {string} text
 * @returns {string | undefined} The place of what is wrong in a text of `refusedText`, unless the text has been changed.
 */
export function refusedPlaceOf(text) {
  const [mark, sum, place] = REFUSED.exec(text) ?? [];
  return mark !== undefined && checksum(text.slice(mark.length)) === sum ? place : undefined;
}

/**
 * A `make` of a target: valid YAML, such YAML with changes, and a sixth of the cases that a target has without it.
 *
 * @param {(random: Random) => Value} makeValue
 * @param {readonly string[]} seeds
 * @param {readonly string[]} words
 * @returns {(random: Random, make: () => string) => string}
 */
export function yamlMaker(makeValue, seeds, words) {
  return (random, make) => {
    if (random.oneIn(6)) return make();
    const text = yamlText(random, makeValue(random));
    return random.oneIn(2) ? text : mutateText(random, withoutMeaning(text), seeds, words);
  };
}

/** @param {string} text A text of `yamlText`. */
function withoutMeaning(text) {
  return text.replace(MARK, '');
}

/** @param {string} text */
function checksum(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

class Writer {
  #random;
  /** Values that come more than once, and the names of their anchors. @type {Map<object, string>} */
  #anchors = new Map();
  /** @type {Set<object>} */
  #written = new Set();

  /**
   * @param {Random} random
   * @param {Value} value
   */
  constructor(random, value) {
    this.#random = random;
    const seen = new Set();
    /** @param {Value} one */
    const visit = (one) => {
      if (typeof one !== 'object' || one === null) return;
      if (seen.has(one)) {
        if (!this.#anchors.has(one)) this.#anchors.set(one, `a${this.#anchors.size}`);
        return;
      }
      seen.add(one);
      for (const child of Object.values(one)) visit(child);
    };
    visit(value);
  }

  /**
   * @param {Value} value
   * @param {number} indent
   * @returns {string} What follows a colon or a dash: it begins with a space or with a line break.
   */
  block(value, indent) {
    const known = this.#anchorOf(value);
    if (known?.isWritten) return ` *${known.name}`;
    const anchor = known === undefined ? '' : ` &${known.name}`;
    if (typeof value !== 'object' || value === null) return this.#scalarInBlock(value, indent);
    if (Object.keys(value).length === 0 || this.#random.oneIn(4))
      return `${anchor} ${this.#collection(value, indent)}`;
    const pad = ' '.repeat(indent);
    const lines = Array.isArray(value)
      ? value.map((one) => `${pad}-${this.block(one, indent + this.#random.of([2, 2, 4]))}`)
      : Object.entries(value).map(([key, one]) => this.#pair(key, one, indent));
    return `${anchor}${this.#comment()}\n${lines.join(this.#random.of(['\n', '\n', '\n\n', `\n${pad}# a comment\n`]))}`;
  }

  /**
   * @param {string} key
   * @param {Value} value
   * @param {number} indent
   */
  #pair(key, value, indent) {
    const pad = ' '.repeat(indent);
    const inner = this.block(value, indent + this.#random.of([1, 2, 2, 2, 4]));
    if (this.#random.oneIn(20)) return `${pad}? ${this.#scalar(key)}\n${pad}:${inner}`;
    return `${pad}${this.#scalar(key)}:${inner}`;
  }

  /**
   * @param {Value} value
   * @param {number} indent
   */
  #scalarInBlock(value, indent) {
    const isLines =
      typeof value === 'string' && /^\S.*\S$/s.test(value) && !ODD.test(value.replaceAll('\n', ''));
    if (isLines && (value.includes('\n') || this.#random.oneIn(12))) {
      const pad = ' '.repeat(Math.max(1, indent));
      return ` |-\n${value.replace(/^(?=.)/gm, pad)}`;
    }
    return ` ${this.#scalar(value)}${this.#comment()}`;
  }

  /**
   * @param {Value} value
   * @param {number} indent
   * @returns {string}
   */
  #flow(value, indent) {
    if (typeof value !== 'object' || value === null) return this.#scalar(value);
    const known = this.#anchorOf(value);
    if (known?.isWritten) return `*${known.name} `;
    return `${known === undefined ? '' : `&${known.name} `}${this.#collection(value, indent)}`;
  }

  /**
   * @param {Value} value
   * @param {number} indent
   */
  #collection(value, indent) {
    const gap = this.#random.of([' ', ' ', '', `\n${' '.repeat(indent + 1)}`]);
    const parts = Array.isArray(value)
      ? value.map((one) => this.#flow(one, indent))
      : Object.entries(value).map(([key, one]) => `${this.#scalar(key)}: ${this.#flow(one, indent)}`);
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    const last = parts.length > 0 && this.#random.oneIn(8) ? ',' : '';
    return `${open}${gap}${parts.join(`,${gap === '' ? ' ' : gap}`)}${last}${gap}${close}`;
  }

  /** @param {Value} value */
  #scalar(value) {
    if (typeof value !== 'string') return this.#number(value);
    const isPlain = PLAIN.test(value) && !NOT_TEXTS.test(value);
    const quoted = ODD.test(value) ? JSON.stringify(value) : `'${value.replaceAll("'", "''")}'`;
    return this.#random.of([
      isPlain ? value : JSON.stringify(value),
      isPlain ? value : quoted,
      quoted,
      JSON.stringify(value),
    ]);
  }

  /** @param {Value} value */
  #number(value) {
    if (typeof value === 'boolean') return this.#random.of([`${value}`, value ? 'True' : 'False']);
    if (Number.isInteger(value) && value >= 0 && this.#random.oneIn(10)) return `0x${value.toString(16)}`;
    return `${value}`;
  }

  #comment() {
    return this.#random.oneIn(15) ? ' # why' : '';
  }

  /** @param {Value} value */
  #anchorOf(value) {
    const name = this.#anchors.get(value);
    if (name === undefined) return undefined;
    const isWritten = this.#written.has(value);
    this.#written.add(value);
    return { name, isWritten };
  }
}
