/** The rows of a history, in the SQL of an engine: FROM clauses. */
export interface RowSource {
  /** All rows. Some may be there more than once. */
  readonly all: string;
  /** The rows that are certainly there once; `undefined` when no rows are known to be. */
  readonly distinct: string | undefined;
  /** The other rows; `undefined` when there are no others. */
  readonly repeated: string | undefined;
  /** Whether a row may have widths. */
  readonly hasWidths: boolean;
  /** Whether rows are those of files that nobody has looked at: an engine gives NULL for a column that one of them lacks. */
  readonly mayLackColumns: boolean;
}

/** A source of whose rows nothing is known. */
export function unknownSource(all: string, mayLackColumns: boolean): RowSource {
  return { all, distinct: undefined, repeated: all, hasWidths: true, mayLackColumns };
}
