/** Kinds of test files that `npm test` has no time for: long properties with many cases, and walks through documents as their readers go. */
export const KINDS = ['long', 'walk'];

/** The names of the files of some kinds: `laws.long.test.ts`. */
export const matchFiles = (/** @type {readonly string[]} */ kinds) =>
  new RegExp(`\\.(${kinds.join('|')})\\.test\\.ts$`);
