/** The slots in which the values of one slot may lie, the own one among them. */
export interface SlotReach {
  /** The first slot. */
  readonly first: number;
  /** The last slot. */
  readonly last: number;
  /** Whether all values are above the thresholds in the first slot. @default not known */
  readonly startsAbove?: boolean;
  /** Whether all values are at most the thresholds in the last slot. @default not known */
  readonly endsWithin?: boolean;
}

/** How far the values of slots reach, by slot. The values of all other slots lie in them. */
export type SlotReaches = ReadonlyMap<number, SlotReach>;

/** Notes that values of a slot may lie between two others. A slot that was widened before has both reaches. */
export function widen(reaches: Map<number, SlotReach>, slot: number, added: SlotReach): void {
  const known = reaches.get(slot);
  const before = known ?? { first: slot, last: slot };
  // What the slot itself has is not known to end at a threshold.
  const parts = known === undefined && added.first < slot && added.last > slot ? [added] : [before, added];
  const first = Math.min(...parts.map((part) => part.first));
  const last = Math.max(...parts.map((part) => part.last));
  const startsAbove = parts.every((part) => part.first > first || part.startsAbove === true);
  const endsWithin = parts.every((part) => part.last < last || part.endsWithin === true);
  reaches.set(slot, { first, last, ...(startsAbove && { startsAbove }), ...(endsWithin && { endsWithin }) });
}
