const isLong = process.env.HDRSCOPE_TESTS === 'long';
const share = Number(process.env.HDRSCOPE_LONG_SHARE ?? 1);

/**
 * The number of random cases of a law: few in `npm test`, many in `npm run test:long`. The tests of the law are in the long run when
 * a file `*.long.test.ts` imports their file. `HDRSCOPE_LONG_SHARE=0.2` makes a fifth of the many: CI has no time for more.
 */
export function caseCount(few: number, many: number): number {
  return isLong ? Math.max(few, Math.ceil(many * share)) : few;
}

/**
 * The cells of a matrix for a run: all in `npm run test:long`, and otherwise each third from the cell `turn`, so that three turns have all.
 */
export function someCells<Cell>(cells: readonly Cell[], turn: number): Cell[] {
  return isLong ? [...cells] : cells.filter((_, at) => at % 3 === turn % 3);
}

/** The cells of a matrix that is in the long run alone: a part of them that `HDRSCOPE_LONG_SHARE` states, spread over all. */
export function cellsOfShare<Cell>(cells: readonly Cell[]): Cell[] {
  return cells.filter((_, at) => Math.floor((at + 1) * share) > Math.floor(at * share));
}
