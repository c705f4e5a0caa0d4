/** Kinds of test files that `npm test` has no time for: long properties with many cases, and walks through documents as their readers go. */
const KINDS = ['long', 'walk'];

/** The names of the files of some kinds: `laws.long.test.ts`. */
const matchFiles = (/** @type {readonly string[]} */ kinds) =>
  new RegExp(`\\.(${kinds.join('|')})\\.test\\.ts$`);

/**
 * Which test files a run has: with `--long` or `--walk` as the first argument those of one kind, with `--with-walks` all but the long ones,
 * otherwise those of no kind. `HDRSCOPE_TESTS` hands the choice to the processes of Jest.
 *
 * @type {Readonly<Record<string, { only?: RegExp, without?: RegExp }>>}
 */
export const SELECTIONS = {
  ...Object.fromEntries(KINDS.map((kind) => [kind, { only: matchFiles([kind]) }])),
  'with-walks': { without: matchFiles(['long']) },
};

/** @param {string | undefined} selection */
export const selectFiles = (selection) => SELECTIONS[selection ?? ''] ?? { without: matchFiles(KINDS) };
