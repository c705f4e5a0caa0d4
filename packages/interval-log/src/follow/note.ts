/** An event of the followed file. */
export interface FollowNote {
  /**
   * - `'missing'`: the file does not exist (yet), and `followLog` waits for it.
   * - `'caught-up'`: every whole line was read. It comes once; only new lines follow.
   * - `'truncated'`: the file was truncated, and is read from its start. If a rotated copy has lines that were not read before,
   *   they precede this note.
   * - `'replaced'`: another file has the path, or had it for a while. The old file was read to its end, and the next entries
   *   come from the start of the other one.
   * - `'lost'`: lines may have been lost, for the `reason`. A note `'truncated'` or `'replaced'` follows at once.
   */
  readonly kind: 'missing' | 'caught-up' | 'truncated' | 'replaced' | 'lost';
  /**
   * Why lines may have been lost; `undefined` for other kinds.
   *
   * - `'truncated'`: the file was truncated, and no rotated file has the lines that came before.
   * - `'replaced'`: several files had the path since the latest look, and the first of them was removed already, perhaps with
   *   others; or the log was removed while a `memory` waited.
   */
  readonly reason?: 'truncated' | 'replaced';
}
