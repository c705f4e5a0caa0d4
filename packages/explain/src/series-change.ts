/** What a series counted in one range of time: counts of slots. */
export interface SlotCounts {
  /** The slots with a count, ascending: `ChangeSlots` says what their numbers mean. */
  readonly k: readonly number[];
  /** The counts of `k`. */
  readonly c: readonly number[];
  /** How many further slots the values of a count may lie in. Empty when all values lie in their slots. @default empty */
  readonly w?: readonly number[];
}

/** What a series counted in two ranges of time. */
export interface SeriesChange {
  /** The attributes of the series as texts. */
  readonly attributes: Readonly<Record<string, string>>;
  /** What it counted in the earlier range. */
  readonly before: SlotCounts;
  /** What it counted in the later range. */
  readonly after: SlotCounts;
  /** The most values that one of its values stands for: see `Counted` of `@hdrscope/core`. @default 1 */
  readonly weight?: number;
}

/** An attribute and its value: `route`, `/pay`. */
export interface AttributeValue {
  /** Key of the attribute, such as `route`. */
  readonly key: string;
  /** Its value as a text, such as `/pay`. */
  readonly value: string;
}

/** All series with an attribute value, or with several together. */
export interface Candidate {
  /** Attribute values that select them together: several times where the data cannot distinguish what selects these series. */
  readonly attributes: readonly (readonly AttributeValue[])[];
  /** Which series, as indices, ascending. */
  readonly members: readonly number[];
}
