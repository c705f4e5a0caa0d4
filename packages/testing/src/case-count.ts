const isLong = process.env.HDRSCOPE_TESTS === 'long';

/**
 * The number of random cases of a law: few in `npm test`, many in `npm run test:long`. The tests of the law are in the long run when
 * a file `*.long.test.ts` imports their file.
 */
export function caseCount(few: number, many: number): number {
  return isLong ? many : few;
}
