import type { DetailMessage, TableMessage, ViewMessage } from '../src/messages.ts';

/** Takes the messages of the server. */
export interface Listeners {
  onTable(message: TableMessage): void;
  onDetail(message: DetailMessage): void;
  onView(message: ViewMessage): void;
  onState(state: ConnectionState): void;
}

export type ConnectionState = 'connecting' | 'live' | 'lost';

/** The series or the view that is watched besides the table. */
export interface Watched {
  readonly series?: number | undefined;
  readonly view?: string | undefined;
}

const SWITCH_MS = 80;
const RETRY_MS = 3000;

/** A stream of events. A change of the watched series or view opens a new stream, in which the table goes on. */
export class Connection {
  readonly #listeners: Listeners;
  #source: EventSource | undefined;
  #watched: Watched = {};
  #lastId = '';
  #timer: number | undefined;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  start(): void {
    this.#open();
  }

  /** Changes the watched series or view, after a short wait: a key that is held down changes it many times a second. */
  watch(watched: Watched): void {
    if (watched.series === this.#watched.series && watched.view === this.#watched.view) return;
    this.#watched = watched;
    this.#later(SWITCH_MS);
  }

  #later(ms: number): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#open(), ms);
  }

  #open(): void {
    this.#source?.close();
    const query = new URLSearchParams();
    const { series, view } = this.#watched;
    if (series !== undefined) query.set('series', String(series));
    if (view !== undefined) query.set('view', view);
    if (this.#lastId !== '') query.set('last', this.#lastId);
    const source = new EventSource(`events?${query}`);
    this.#source = source;
    const on = <Message>(name: string, take: (message: Message) => void): void =>
      source.addEventListener(name, (event) => {
        if (event.lastEventId !== '') this.#lastId = event.lastEventId;
        take(JSON.parse(event.data) as Message);
      });
    on('table', this.#listeners.onTable);
    on('detail', this.#listeners.onDetail);
    on('view', this.#listeners.onView);
    source.onopen = () => this.#listeners.onState('live');
    source.onerror = () => {
      this.#listeners.onState(source.readyState === EventSource.CONNECTING ? 'connecting' : 'lost');
      // A browser does not try again by itself after an answer that is not a stream.
      if (source.readyState === EventSource.CLOSED && source === this.#source) this.#later(RETRY_MS);
    };
  }
}
