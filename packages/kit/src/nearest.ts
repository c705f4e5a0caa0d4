import { nearestName } from '@hdrscope/core/internal';

/**
 * The candidate that a person probably meant: one that the word begins, one with two letters swapped, or one that is spelt much
 * like it. `undefined` when none is similar.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const begun = word.length < 3 ? undefined : candidates.find((candidate) => candidate.startsWith(word));
  return begun ?? candidates.find((candidate) => isSwapped(word, candidate)) ?? nearestName(word, candidates);
}

/** `: did you mean summary?`, or an empty text when no candidate is similar. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const found = nearest(word, candidates);
  return found === undefined ? '' : `: did you mean ${found}?`;
}

/** Whether two neighbours of a word are swapped, which is the most frequent error of typists. */
function isSwapped(word: string, candidate: string): boolean {
  if (word.length !== candidate.length) return false;
  const at = [...word].findIndex((letter, i) => letter !== candidate[i]);
  const swapped = word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2);
  return at >= 0 && swapped === candidate;
}
