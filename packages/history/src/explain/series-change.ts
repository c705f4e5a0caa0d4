import type { Distribution } from '../rows/row.ts';

/** Slots of a series in one range of time, their counts, and how far the values of each count may reach. */
export type SlotCounts = Pick<Distribution, 'k' | 'c'> & Partial<Pick<Distribution, 'w'>>;

/** What a series counted in two ranges of time. */
export interface SeriesChange {
  /** The attributes of the series as texts. */
  readonly attributes: Readonly<Record<string, string>>;
  /** What it counted in the earlier range. */
  readonly before: SlotCounts;
  /** What it counted in the later range. */
  readonly after: SlotCounts;
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
