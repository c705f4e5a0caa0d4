const isLong = process.env.HDRSCOPE_TESTS === 'long';
const share = Number(process.env.HDRSCOPE_LONG_SHARE ?? 1);

/**
 * The number of random cases of a law: few in `npm test`, many in `npm run test:long`. The tests of the law are in the long run when
 * a file `*.long.test.ts` imports their file. `HDRSCOPE_LONG_SHARE=0.2` makes a fifth of the many: CI has no time for more.
 */
export function caseCount(few: number, many: number): number {
  return isLong ? Math.max(few, Math.ceil(many * share)) : few;
}
