import type {
  ChangesMessage,
  DetailMessage,
  RowChange,
  RowsMessage,
  TableMessage,
  TabMessage,
  WhyMessage,
} from '../src/messages.ts';
import { changesQuestion, hasOwnRows, type Question, type TimeRange } from '../src/question.ts';
import { askedOf, questionText, rowsQuestion } from './address.ts';
import { type AttributeKey, attributeKeys } from './attributes.ts';
import {
  applyChanges,
  emptyTable,
  frozenRows,
  rowsOfAnswer,
  type TableFacts,
  type TableRow,
  type TableState,
} from './state.ts';

/** The last message of a kind that is shown, and the one that waits until the page goes on. */
interface Slot<Message> {
  shown: Message | undefined;
  waiting: Message | undefined;
}

/** The rows of an answer. */
interface Answer {
  readonly message: RowsMessage;
  readonly rows: readonly TableRow[];
}

/** Facts that a table message brings besides its changes. */
export interface TableNews {
  /** Whether it is the first one. */
  readonly isFirst: boolean;
  /** Whether it is of another server than the message before it. */
  readonly isRestarted: boolean;
}

/**
 * The messages of the server. During a pause the table takes changes, but the page shows the rows and the answers of its begin. The
 * first answer to a question that is asked during the pause is shown.
 */
export class Received {
  readonly table: TableState = emptyTable();
  readonly #answer: Slot<Answer> = { shown: undefined, waiting: undefined };
  readonly #detail: Slot<DetailMessage> = { shown: undefined, waiting: undefined };
  readonly #tab: Slot<TabMessage> = { shown: undefined, waiting: undefined };
  readonly #why: Slot<WhyMessage> = { shown: undefined, waiting: undefined };
  readonly #changes: Slot<ChangesMessage> = { shown: undefined, waiting: undefined };
  #keys: { readonly version: number; readonly all: readonly AttributeKey[] } = { version: -1, all: [] };
  #pause: { readonly atMs: number; readonly rows: readonly TableRow[] } | undefined;

  get facts(): TableFacts | undefined {
    return this.table.facts;
  }

  get detail(): DetailMessage | undefined {
    return this.#detail.shown;
  }

  get tab(): TabMessage | undefined {
    return this.#tab.shown;
  }

  get why(): WhyMessage | undefined {
    return this.#why.shown;
  }

  /** Which rows have changed, also of the question before. */
  get changes(): ChangesMessage | undefined {
    return this.#changes.shown;
  }

  /** Which rows have changed, when the answer to a question has come. */
  changesOf(question: Question): ChangesMessage | undefined {
    const { shown } = this.#changes;
    return shown?.question === questionText(changesQuestion(askedOf(question))) ? shown : undefined;
  }

  /** The rows that have changed, by their labels, the worst one first. */
  changedRows(question: Question): ReadonlyMap<string, RowChange> {
    return new Map(this.changesOf(question)?.rows.map((one) => [one.label, one]));
  }

  /** The time in which the picked row has changed; `undefined` when it is not shown to have. */
  changedTimeOf(question: Question): TimeRange | undefined {
    const change = this.changedRows(question).get(question.pick ?? '');
    const changes = this.changesOf(question);
    return change && changes && { fromMs: change.sinceMs, toMs: changes.after.toMs };
  }

  /** All attribute keys of the table. */
  get attributeKeys(): readonly AttributeKey[] {
    const { version, series } = this.table;
    if (this.#keys.version !== version) this.#keys = { version, all: attributeKeys(series.values()) };
    return this.#keys.all;
  }

  /** The time of the data that are shown, by the clock of the server; `undefined` when there is no pause. */
  get pausedMs(): number | undefined {
    return this.#pause?.atMs;
  }

  /** Begins a pause, or ends it. A record has no pauses. */
  togglePause(): void {
    const { facts, series } = this.table;
    if (this.#pause !== undefined) {
      this.#pause = undefined;
      for (const slot of [
        this.#answer,
        this.#detail,
        this.#tab,
        this.#why,
        this.#changes,
      ] as Slot<unknown>[]) {
        slot.shown = slot.waiting ?? slot.shown;
        slot.waiting = undefined;
      }
    } else if (facts !== undefined && !facts.isRecord) {
      this.#pause = { atMs: facts.timeMs, rows: frozenRows([...series.values()]) };
    }
  }

  takeTable(message: TableMessage): TableNews {
    const before = this.facts?.epoch;
    applyChanges(this.table, message);
    return { isFirst: before === undefined, isRestarted: before !== undefined && before !== message.epoch };
  }

  /** @returns Whether the message is shown now: it answers what is asked, and does not wait. */
  takeRows(message: RowsMessage, question: Question): boolean {
    if (message.question !== questionText(askedOf(question))) return false;
    const answer = { message, rows: rowsOfAnswer(this.table, message) };
    const asked = rowsQuestion(message.question);
    return this.#take(this.#answer, answer, (shown) => rowsQuestion(shown.message.question) === asked);
  }

  /** @returns Whether the message is shown now. */
  takeDetail(message: DetailMessage, question: Question): boolean {
    if (message.question !== questionText(askedOf(question))) return false;
    return this.#take(this.#detail, message, (shown) => shown.question === message.question);
  }

  /** @returns Whether the message is shown now. */
  takeTab(message: TabMessage, question: Question): boolean {
    if (message.name !== question.tab) return false;
    return this.#take(this.#tab, message, (shown) => shown.name === message.name);
  }

  /** @returns Whether the message is shown now. */
  takeWhy(message: WhyMessage, question: Question): boolean {
    if (message.question !== questionText(askedOf(question))) return false;
    return this.#take(this.#why, message, (shown) => shown.question === message.question);
  }

  /** @returns Whether the message is shown now. */
  takeChanges(message: ChangesMessage, question: Question): boolean {
    if (message.question !== questionText(changesQuestion(askedOf(question)))) return false;
    return this.#take(this.#changes, message, (shown) => shown.question === message.question);
  }

  /** The rows that are shown, before a search. Until the rows of a question come, the rows of the question before it are shown. */
  rowsOf(question: Question): readonly TableRow[] {
    if (this.#hasOwnRows(question) && this.#answer.shown !== undefined) return this.#answer.shown.rows;
    return this.#pause?.rows ?? [...this.table.series.values()];
  }

  /** How many rows the server has left out. */
  leftOutOf(question: Question): number {
    return (this.#hasOwnRows(question) ? this.#answer.shown?.message.leftOut : this.facts?.leftOut) ?? 0;
  }

  /** Whether the rows that are shown are those of a question. */
  hasRowsOf(question: Question): boolean {
    if (!this.#hasOwnRows(question)) return this.facts !== undefined;
    const shown = this.#answer.shown?.message.question;
    return shown !== undefined && rowsQuestion(shown) === rowsQuestion(questionText(question));
  }

  /** Whether the table has a series of a label. */
  isKnown(label: string | undefined): boolean {
    for (const row of this.table.series.values()) if (row.label === label) return true;
    return false;
  }

  /** Whether the server answers with rows of its own, and not with the table. Rows of a record are of all its time. */
  #hasOwnRows(question: Question): boolean {
    return hasOwnRows(question) || this.facts?.isRecord === true;
  }

  /** @param isSame Whether what is shown answers the same question. */
  #take<Message>(slot: Slot<Message>, message: Message, isSame: (shown: Message) => boolean): boolean {
    if (this.#pause !== undefined && slot.shown !== undefined && isSame(slot.shown)) {
      slot.waiting = message;
      return false;
    }
    slot.shown = message;
    slot.waiting = undefined;
    return true;
  }
}
