import { someCells } from './case-count.ts';

/**
 * The meaning of a reply to a request: the receiver has the request, or may have it, or nobody has judged its points, or the receiver has
 * judged them and does not take them.
 */
export type Meaning = 'success' | 'doubt' | 'unread' | 'verdict';

/** The reply to one request, and whether the receiver takes the request before it replies. */
export interface RequestEnd<Reply> {
  readonly reply: Reply;
  readonly isTaken: boolean;
}

/** The end of one request, and its meaning. */
export interface Fate<Reply> extends RequestEnd<Reply> {
  readonly meaning: Meaning;
}

/** The statuses of HTTP that senders meet. */
export const STATUSES: Readonly<Record<Meaning, readonly number[]>> = {
  success: [200, 201, 202, 204],
  doubt: [300, 301, 302, 303, 307, 308, 408, 429, 500, 501, 502, 503, 504, 505, 507, 511, 520, 522, 524, 599],
  unread: [401, 403, 404, 405, 407],
  verdict: [
    400, 402, 406, 409, 410, 411, 412, 413, 414, 415, 417, 418, 421, 422, 425, 426, 428, 431, 451, 499,
  ],
};

/**
 * Lists each reply twice: to a request that was taken, and to one that was not. A success follows only a request that was taken: no sender
 * can save the values of another one.
 */
export function listFates<Reply>(replies: readonly (readonly [Reply, Meaning])[]): Fate<Reply>[] {
  return replies.flatMap(([reply, meaning]) =>
    (meaning === 'success' ? [true] : [true, false]).map((isTaken) => ({ reply, meaning, isTaken })),
  );
}

/**
 * The requests that a fate takes. A receiver does not refuse a request that it has taken. But its answer may be lost, and the next request
 * be refused.
 *
 * @param lost The reply instead of the answer that is lost.
 */
export function listRequests<Reply>(
  { reply, meaning, isTaken }: Fate<Reply>,
  lost: Reply,
): RequestEnd<Reply>[] {
  const isRefused = meaning === 'unread' || meaning === 'verdict';
  return isTaken && isRefused
    ? [
        { reply: lost, isTaken },
        { reply, isTaken: false },
      ]
    : [{ reply, isTaken }];
}

const HOUR_MS = 3_600_000;

/** How far the clock of a sender is ahead, in milliseconds: at the request that meets a fate, and after it. */
export const CLOCKS = {
  'steady clock': [0, 0],
  'clock a day ahead, then right': [24 * HOUR_MS, 0],
  'clock an hour back': [-HOUR_MS, -HOUR_MS],
} as const;
export type ClockName = keyof typeof CLOCKS;
export const CLOCK_NAMES = Object.keys(CLOCKS) as ClockName[];

let turns = 0;

/** Runs the cell of each fate, sixteen at once. Outside the long run, a fate meets one clock of the three that follow one another. */
export async function runCells<Reply>(
  fates: readonly Fate<Reply>[],
  cell: (fate: Fate<Reply>) => Promise<void>,
): Promise<void> {
  const left = someCells(fates, turns++);
  const work = async (): Promise<void> => {
    for (let fate = left.shift(); fate !== undefined; fate = left.shift()) await cell(fate);
  };
  await Promise.all(Array.from({ length: 16 }, work));
}
