/**
 * What a reply to a request means: the receiver has the request, or may have it, or nobody has judged its points, or the receiver has
 * judged them and does not take them.
 */
export type Meaning = 'success' | 'doubt' | 'unread' | 'verdict';

/** What becomes of one request. */
export interface Fate<Reply> {
  readonly reply: Reply;
  readonly meaning: Meaning;
  readonly isTaken: boolean;
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

/** Each reply to a request that was taken, and to one that was not. */
export function fatesOf<Reply>(replies: readonly (readonly [Reply, Meaning])[]): Fate<Reply>[] {
  return replies.flatMap(([reply, meaning]) =>
    // A success that is none loses values, whatever a sender does.
    (meaning === 'success' ? [true] : [true, false]).map((isTaken) => ({ reply, meaning, isTaken })),
  );
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

/** Runs the cell of each fate, sixteen at once. */
export async function runCells<Reply>(
  fates: readonly Fate<Reply>[],
  cell: (fate: Fate<Reply>) => Promise<void>,
): Promise<void> {
  const left = [...fates];
  const work = async (): Promise<void> => {
    for (let fate = left.shift(); fate !== undefined; fate = left.shift()) await cell(fate);
  };
  await Promise.all(Array.from({ length: 16 }, work));
}
