/** The slots in which the values of one slot may lie, the own one among them. */
export interface SlotReach {
  /** The first slot. */
  readonly first: number;
  /** The last slot. */
  readonly last: number;
}

/** How far the values of slots reach, by slot. The values of all other slots lie in them. */
export type SlotReaches = ReadonlyMap<number, SlotReach>;

/** Notes that values of a slot may lie between two others. A slot that was widened before has both reaches. */
export function widen(reaches: Map<number, SlotReach>, slot: number, first: number, last: number): void {
  const { first: from, last: to } = reaches.get(slot) ?? { first: slot, last: slot };
  if (first >= from && last <= to) return;
  reaches.set(slot, { first: Math.min(from, first), last: Math.max(to, last) });
}
