/** Describes the differences between a fixture and the current answers of the reference. */
import { inflateSync } from 'node:zlib';

const SHOWN = 10;
const LONGEST = 80;

/**
 * @param {{ readonly cases: readonly { readonly name: string }[] }} committed
 * @param {typeof committed} made
 * @returns {string[]} the first differences; empty when the two are equal
 */
export function differences(committed, made) {
  const found = [];
  const { cases: committedCases, ...committedHeader } = committed;
  const { cases: madeCases, ...madeHeader } = made;
  compare('header', committedHeader, madeHeader, found);
  const byName = new Map(committedCases.map((each) => [each.name, each]));
  for (const each of madeCases) {
    compare(`case "${each.name}"`, byName.get(each.name), each, found);
    byName.delete(each.name);
  }
  for (const [name, each] of byName) compare(`case "${name}"`, each, undefined, found);
  const more = found.length - SHOWN;
  return more > 0 ? [...found.slice(0, SHOWN), `and ${more} more`] : found;
}

function compare(path, committed, made, found) {
  if (isContainer(committed) && isContainer(made)) {
    for (const key of new Set([...Object.keys(committed), ...Object.keys(made)])) {
      const inner = Array.isArray(made) ? `${path}[${key}]` : `${path}.${key}`;
      const differ = key === 'compressed' ? compareInflated : compare;
      differ(inner, committed[key], made[key], found);
    }
  } else if (!Object.is(committed, made)) {
    found.push(`${path}: committed ${short(committed)}, now ${short(made)}`);
  }
}

/** Builds of zlib compress the same bytes differently, so the cookie and the inflated bytes are compared. */
function compareInflated(path, committed, made, found) {
  compare(path, inflated(committed), inflated(made), found);
}

/** The bytes of a compressed encoding, inflated, in hex behind those of its head. */
export function inflated(base64) {
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  // A double histogram has its own header of 16 bytes before the compressed integer histogram's 8.
  for (const start of [8, 24]) {
    try {
      return `${bytes.toString('hex', 0, start - 4)} ${inflateSync(bytes.subarray(start)).toString('hex')}`;
    } catch {
      // not there
    }
  }
  return base64; // broken on purpose
}

function isContainer(value) {
  return typeof value === 'object' && value !== null;
}

function short(value) {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
}
