/**
 * Makes the texts that a regular expression may be slow on, from the expression itself: a start that its first terms match, a
 * part that one of its terms matches, repeated, and an end that lets the whole match fail.
 */

/**
 * @typedef {object} Term
 * @property {string} source Its own text, without its quantifier.
 * @property {Term[][]} [alternatives] Of a group.
 * @property {boolean} empty Whether it is an assertion, which matches no characters.
 *
 * @typedef {object} Attack
 * @property {string} start
 * @property {string} part
 * @property {string} end
 */

// At least one character of every class, and the characters that usually separate fields.
const COMMON = [
  'a',
  'A',
  '0',
  ' ',
  '\t',
  '\n',
  '.',
  ',',
  '=',
  '"',
  ':',
  '-',
  '_',
  '/',
  '\\',
  '#',
  '<',
  '(',
  '$',
  '\u00e9',
];
const ENDS = ['\u0001', '', '\n', '!'];
const SAMPLES = 6;

/**
 * @param {string} source The text between the slashes.
 * @returns {Term[][]} The alternatives, each a sequence of terms.
 */
export function parsePattern(source) {
  let position = 0;
  const alternatives = () => {
    /** @type {Term[][]} */
    const found = [[]];
    while (position < source.length && source[position] !== ')') {
      if (source[position] === '|') {
        position += 1;
        found.push([]);
      } else {
        /** @type {Term[]} */ (found.at(-1)).push(term());
      }
    }
    return found;
  };
  /** @returns {Term} */
  const term = () => {
    const start = position;
    /** @type {Term[][] | undefined} */
    let inner;
    let empty = false;
    const group = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/.exec(source.slice(position, position + 100));
    if (group !== null) {
      position += group[0].length;
      inner = alternatives();
      position += 1;
      empty = /[=!]$/.test(group[0]);
    } else if (source[position] === '[') {
      position = endOfClass(source, position);
    } else if (source[position] === '\\') {
      empty = /[bB]/.test(source[position + 1] ?? '');
      const escaped = /^\\(?:u\{[^}]*\}|u.{4}|x..|[pPk][{<][^}>]*[}>]|c.|.)/s.exec(
        source.slice(position, position + 100),
      );
      position += escaped?.[0].length ?? 1;
    } else {
      empty = source[position] === '^' || source[position] === '$';
      position += 1;
    }
    const text = source.slice(start, position);
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(position, position + 30));
    position += quantifier?.[0].length ?? 0;
    return { source: text, empty, ...(inner !== undefined && { alternatives: inner }) };
  };
  return alternatives();
}

/**
 * @param {string} source
 * @param {number} start
 */
function endOfClass(source, start) {
  let at = start + 1;
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

/**
 * @param {string} source
 * @param {string} flags
 * @returns {Attack[]} Each of them once.
 */
export function attacksOn(source, flags) {
  const alphabet = [...new Set([...source.replaceAll(/\\[a-zA-Z]/g, ''), ...COMMON])];
  /** @type {Map<string, string[]>} */
  const known = new Map();
  /** @param {Term} term @returns {string[]} */
  const samplesOf = (term) => {
    if (term.empty) return [''];
    if (term.alternatives !== undefined) {
      return term.alternatives
        .map((sequence) => sequence.map((one) => samplesOf(one)[0] ?? '').join(''))
        .slice(0, SAMPLES);
    }
    const found = known.get(term.source) ?? charactersOf(term.source, flags, alphabet);
    known.set(term.source, found);
    return found;
  };
  /** @type {Map<string, Attack>} */
  const attacks = new Map();
  /** @param {string} before @param {Term[][]} alternatives */
  const visit = (before, alternatives) => {
    for (const sequence of alternatives) {
      let start = before;
      for (const [index, term] of sequence.entries()) {
        const next = sequence[index + 1];
        const samples = samplesOf(term);
        const first = samples[0] ?? '';
        const followed = first + (next === undefined ? '' : (samplesOf(next)[0] ?? ''));
        for (const part of new Set([...samples, followed, start + first])) {
          if (part === '') continue;
          for (const from of new Set(['', start])) {
            for (const end of ENDS)
              attacks.set(JSON.stringify([from, part, end]), { start: from, part, end });
          }
        }
        if (term.alternatives !== undefined) visit(start, term.alternatives);
        start += first;
      }
    }
  };
  visit('', parsePattern(source));
  return [...attacks.values()];
}

/**
 * @param {string} atom
 * @param {string} flags
 * @param {string[]} alphabet
 */
function charactersOf(atom, flags, alphabet) {
  try {
    const matcher = new RegExp(`^(?:${atom})$`, flags.replaceAll(/[gy]/g, ''));
    return alphabet.filter((character) => matcher.test(character)).slice(0, SAMPLES);
  } catch {
    return []; // such as a reference to a group, which is not there alone
  }
}
