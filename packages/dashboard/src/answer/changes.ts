import type { ChangesMessage } from '../messages.ts';
import type { Question } from '../question.ts';
import { type ComparedTimes, chooseTimes, endBefore } from './baseline.ts';
import { RankedRows } from './ranked-rows.ts';
import { type Ranking, rankTimes } from './ranking.ts';
import type { ExplainedFamily } from './why.ts';

/** The rows that have changed, and the times that were compared. */
export interface Changes {
  readonly message: Omit<ChangesMessage, 'question'>;
  readonly times: ComparedTimes;
}

/**
 * Ranks the rows of a question against the first of several earlier times that shows a change for the worse, else against the first one
 * that shows any, else against the nearest one.
 *
 * @param turn Counts the rankings since the last change. Then one of the times further back is looked at in each, since all of them
 *   would take several times as long. Left out: all of them.
 * @returns `undefined` when the page does not remember two times.
 */
export async function findChanges(
  question: Question,
  families: readonly ExplainedFamily[],
  all: readonly ComparedTimes[],
  turn?: number,
): Promise<Changes | undefined> {
  const asked = chooseTimes(all, question);
  const rows = new RankedRows(families, question.by);
  let found: { readonly ranking: Ranking; readonly times: ComparedTimes } | undefined;
  for (const times of turn === undefined ? asked : takeTurn(asked, turn)) {
    if (times.before.length === 0 || times.after.length === 0) continue;
    const ranking = await rankTimes(rows, times, asked.length);
    const isFirst = found === undefined || (!hasChanged(found.ranking) && hasChanged(ranking));
    if (isFirst || isWorse(ranking)) found = { ranking, times };
    if (isWorse(ranking)) break;
  }
  if (found === undefined) return undefined;
  const startMs = findStart(found.ranking);
  const quiet = endBefore(found.times, startMs);
  if (quiet !== found.times) {
    const ranking = await rankTimes(rows, quiet, asked.length);
    if (isWorse(ranking)) found = { ranking, times: quiet };
  }
  const remembered = all.filter(({ before }) => before.length > 0).map(({ against }) => against);
  const known = [...new Set(remembered)].filter((one) => one !== null);
  return { message: { ...found.ranking, against: found.times.against, known }, times: found.times };
}

/** The nearest time, and one of the others. */
function takeTurn([nearest, ...others]: readonly ComparedTimes[], turn: number): readonly ComparedTimes[] {
  const other = others[turn % others.length];
  return [nearest, other].filter((one) => one !== undefined);
}

/** When the worst change began; `undefined` where nothing became worse. */
function findStart({ rows, errors }: Ranking): number | undefined {
  const [worst] = rows;
  return worst?.isUp ? worst.sinceMs : errors.find(({ before, after }) => after > before)?.sinceMs;
}

/** Whether something has changed. */
export function hasChanged({ rows, errors }: Pick<Ranking, 'rows' | 'errors'>): boolean {
  return rows.length + errors.length > 0;
}

function isWorse({ rows, errors }: Ranking): boolean {
  return rows.some(({ isUp }) => isUp) || errors.some(({ before, after }) => after > before);
}
