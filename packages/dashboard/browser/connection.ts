import type {
  ChangesMessage,
  DetailMessage,
  RowsMessage,
  TableMessage,
  TabMessage,
  WhyMessage,
} from '../src/messages.ts';
import { type Question, questionParams } from '../src/question.ts';

/** Takes the messages of the server. */
export interface Listeners {
  onTable(message: TableMessage): void;
  onRows(message: RowsMessage): void;
  onDetail(message: DetailMessage): void;
  onTab(message: TabMessage): void;
  onWhy(message: WhyMessage): void;
  onChanges(message: ChangesMessage): void;
  onState(state: ConnectionState): void;
}

export type ConnectionState = 'connecting' | 'live' | 'lost';

const SWITCH_MS = 80;
const RETRY_MS = 3000;

/** A stream of events. Another question opens a new stream, in which the table goes on. */
export class Connection {
  readonly #listeners: Listeners;
  #source: EventSource | undefined;
  #query: string;
  #lastId = '';
  #timer: number | undefined;

  constructor(question: Question, listeners: Listeners) {
    this.#query = questionParams(question).toString();
    this.#listeners = listeners;
  }

  start(): void {
    this.#open();
  }

  /** Asks another question, after a short wait: a key that is held down changes it many times a second. */
  ask(question: Question): void {
    const query = questionParams(question).toString();
    if (query === this.#query) return;
    this.#query = query;
    this.#later(SWITCH_MS);
  }

  #later(ms: number): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#open(), ms);
  }

  #open(): void {
    window.clearTimeout(this.#timer);
    this.#source?.close();
    const query = new URLSearchParams(this.#query);
    if (this.#lastId !== '') query.set('last', this.#lastId);
    const source = new EventSource(`events?${query}`);
    this.#source = source;
    const on = <Message>(name: string, take: (message: Message) => void): void =>
      source.addEventListener(name, (event) => {
        if (event.lastEventId !== '') this.#lastId = event.lastEventId;
        take(JSON.parse(event.data) as Message);
      });
    on('table', this.#listeners.onTable);
    on('rows', this.#listeners.onRows);
    on('detail', this.#listeners.onDetail);
    on('tab', this.#listeners.onTab);
    on('why', this.#listeners.onWhy);
    on('changes', this.#listeners.onChanges);
    source.onopen = () => this.#listeners.onState('live');
    source.onerror = () => {
      this.#listeners.onState(source.readyState === EventSource.CONNECTING ? 'connecting' : 'lost');
      // A browser does not try again by itself after an answer that is not a stream.
      if (source.readyState === EventSource.CLOSED && source === this.#source) this.#later(RETRY_MS);
    };
  }
}
