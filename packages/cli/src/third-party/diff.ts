/** Differences of texts. */
export { createTwoFilesPatch, diffChars } from 'diff';
