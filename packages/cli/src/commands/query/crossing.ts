import { historySpan } from '@hdrscope/history';
import type { RowSelection } from '@hdrscope/history/internal';
import { formatDurationParts, formatShare } from '@hdrscope/kit';
import { type Io, Refusal } from '../../command.ts';
import type { Every } from '../../moment.ts';
import { type AskedHistory, withEngine } from './engine.ts';

/** Values of a stretch of time, and how many of them may be of a later one. */
interface Crossing {
  readonly count: number;
  readonly crossingCount: number;
}

/** How time was divided, and of which rows. */
interface Divided {
  readonly every: Every | undefined;
  readonly timeZone: string;
  readonly selection: RowSelection;
}

/** Intervals of a minute in stretches of an hour cross less. */
const NOTED = 0.02;
const MOST = 0.5;
// Timers are late: intervals of a minute may take 60.2 seconds.
const TOLERATED = 0.95;

/**
 * Says how many values are of intervals that begin in one stretch of time and end in a later one, when they are many.
 *
 * @throws Refusal when they are most of the values, and the intervals are longer than the stretches, or the stretches are days that the
 *   intervals do not keep to.
 */
export async function noteCrossing(
  { folder, query }: AskedHistory,
  { every, timeZone, selection }: Divided,
  stretches: Iterable<Crossing>,
  io: Io,
): Promise<void> {
  if (every === undefined) return;
  let [count, crossing] = [0, 0];
  for (const one of stretches) {
    count += one.count;
    crossing += one.crossingCount;
  }
  if (count === 0 || crossing < NOTED * count) return;
  const share = `${formatShare(crossing / count)} of the values are of intervals that begin in one stretch of time and end in a later one`;
  if (crossing > MOST * count) {
    const span = await withEngine(folder, () => historySpan(folder, selection, query));
    const intervalMs = span?.intervalMs ?? 0;
    const { length, text } = every;
    if (typeof length !== 'number' || intervalMs * TOLERATED > length) {
      const cure = timeZone === 'UTC' ? '' : ', or with --time-zone UTC';
      throw new Refusal(
        `${share}, because the history has intervals of ${formatDurationParts(intervalMs)}, which --every ${text} cuts: ask for longer stretches${cure}, or ask a history of shorter intervals`,
      );
    }
  }
  await io.stderr.write(`hdrscope: ${share}: each counts where it begins\n`);
}
