import type { RowChange } from '../src/messages.ts';
import type { Question } from '../src/question.ts';
import { successorOf } from './attributes.ts';
import type { Received } from './received.ts';
import type { TableRow } from './state.ts';

/** The row that is picked, by the reader or by the page, and the row that follows it when it is gone. */
export class Picking {
  /** Whether the page has picked the row itself, so that it may pick a worse one. */
  isOwn: boolean;
  /** The row that was picked last, also when the table no longer has it. */
  #row: TableRow | undefined;

  constructor(isOwn: boolean) {
    this.isOwn = isOwn;
  }

  get row(): TableRow | undefined {
    return this.#row;
  }

  pick(row: TableRow, isOwn: boolean): void {
    this.#row = row;
    this.isOwn = isOwn;
  }

  /**
   * Picks a row when no row is picked, and another one when the picked one is gone.
   *
   * @param listFound The rows that the table shows.
   * @returns The row that is picked now, `undefined` when that is as before, and `null` when there is no row to pick.
   */
  follow(
    received: Received,
    question: Question,
    listFound: () => readonly TableRow[],
  ): TableRow | undefined | null {
    const rows = received.rowsOf(question);
    const { pick, by, where, range } = question;
    const worse = this.#findWorse(rows, received.changedRows(question), pick);
    if (worse !== undefined) {
      this.pick(worse, true);
      return worse;
    }
    const same = rows.find(({ label }) => label === pick);
    if (same !== undefined) {
      this.#row = same;
      return undefined;
    }
    const own = this.#row?.label === pick ? this.#row?.attributes : undefined;
    const isHidden =
      (where.length > 0 || range !== undefined) && (own !== undefined || received.isKnown(pick));
    // The merged row that the picked one is part of, or a row that was part of the picked one.
    const successor = pick === undefined ? undefined : successorOf(rows, pick, own);
    // A filter leaves the picked row where it is, and a notice says so.
    if (isHidden && (successor === undefined || (by === undefined && received.isKnown(pick))))
      return undefined;
    const next = successor ?? listFound()[0];
    if (next === undefined) return pick === undefined || rows.length > 0 ? null : undefined;
    this.pick(next, this.isOwn);
    return next;
  }

  /** The worst row, when the page has picked another one itself that is not half as bad. */
  #findWorse(
    rows: readonly TableRow[],
    changes: ReadonlyMap<string, RowChange>,
    pick: string | undefined,
  ): TableRow | undefined {
    if (!this.isOwn) return undefined;
    const [worst] = changes.values();
    const picked = pick === undefined ? undefined : changes.get(pick);
    if (worst === undefined || isAsBad(picked, worst)) return undefined;
    return rows.find(({ label }) => label === worst.label);
  }
}

function isAsBad(one: RowChange | undefined, worst: RowChange): boolean {
  return one !== undefined && one.isUp === worst.isUp && Math.abs(one.moved) >= Math.abs(worst.moved) / 2;
}
