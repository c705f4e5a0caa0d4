import type { Judged, Row } from './verdicts.ts';

/** Whether no objective fails the check. */
export function isKept(all: readonly Judged[]): boolean {
  return all.every(({ rows }) => rows.every(({ isFailure }) => !isFailure));
}

/** A sentence with the result of a check. */
export function conclusionOf(all: readonly Judged[]): string {
  const rows = all.flatMap((one) => one.rows);
  const failed = rows.filter(({ isFailure }) => isFailure);
  if (failed.length === 0) {
    return rows.length === 1 ? 'The objective is kept.' : `All ${rows.length} objectives are kept.`;
  }
  const is = (wanted: (row: Row) => boolean, words: string): string[] => {
    const count = failed.filter(wanted).length;
    return count === 0 ? [] : [`${count} ${words}`];
  };
  const parts = [
    ...is(({ verdict }) => verdict.startsWith('missed'), 'missed'),
    ...is(({ verdict }) => verdict === 'cannot be judged', 'cannot be judged'),
    ...is(({ verdict }) => verdict === 'kept', 'kept, but not beyond doubt'),
  ];
  return `Of ${rows.length} ${rows.length === 1 ? 'objective' : 'objectives'}: ${parts.join(', ')}.`;
}
