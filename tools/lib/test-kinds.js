/**
 * Kinds of test files that `npm test` has no time for: long properties with many cases, walks through documents as their readers go, and
 * peers that take minutes to install or to answer.
 */
const KINDS = ['long', 'walk', 'peer'];

/** The names of the files of some kinds: `laws.long.test.ts`. */
const matchFiles = (/** @type {readonly string[]} */ kinds) =>
  new RegExp(`\\.(${kinds.join('|')})\\.test\\.ts$`);

/**
 * Which test files a run has: with `--long`, `--walk` or `--peer` as the first argument those of one kind, with `--with-walks` the walks too,
 * otherwise those of no kind. `HDRSCOPE_TESTS` hands the choice to the processes of Jest.
 *
 * @type {Readonly<Record<string, { only?: RegExp, without?: RegExp }>>}
 */
export const SELECTIONS = {
  ...Object.fromEntries(KINDS.map((kind) => [kind, { only: matchFiles([kind]) }])),
  'with-walks': { without: matchFiles(KINDS.filter((kind) => kind !== 'walk')) },
};

/** @param {string | undefined} selection */
export const selectFiles = (selection) => SELECTIONS[selection ?? ''] ?? { without: matchFiles(KINDS) };
