import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { REFUSAL_REASONS, type ServerRefusals } from '@hdrscope/kit/server';
import { Answers } from './answer/answers.ts';
import { type AnswerEvents, RunningAnswers } from './answer/running-answers.ts';
import { listExporters } from './exporters.ts';
import { type DashboardData, Feed } from './feed.ts';
import type { TableMessage } from './messages.ts';
import type { DashboardSettings } from './options.ts';
import { changesQuestion, type Question } from './question.ts';
import { StreamEvent } from './stream-event.ts';
import { Subscriber } from './subscriber.ts';

// Proxies cut streams that are silent for a minute.
const BEAT_MS = 15_000;
const MOST_SUBSCRIBERS = 100;

// Rows of a question take at most a quarter of a core.
const ANSWER_REST_TIMES = 3;

// Explanations take at most a twentieth of a core.
const WHY_REST_TIMES = 19;

// In an incident, people wait for the ranking: it may take a tenth of a core.
const CHANGES_REST_TIMES = 9;

/** Sends the updates of a feed to all clients. */
export class Broadcast {
  /** Answers questions about what is shown. */
  readonly answers: Answers;
  readonly #feed: Feed;
  readonly #running: readonly RunningAnswers[];
  /** Which rows have changed: the same for clients that have picked different rows. */
  readonly #changes: RunningAnswers;
  readonly #settings: DashboardSettings;
  readonly #refusals: Readonly<ServerRefusals>;
  readonly #subscribers = new Set<Subscriber>();
  /** Marks event ids of this server, since ids of another server mean nothing here. */
  readonly #epoch = randomBytes(6).toString('base64url');
  readonly #beat: NodeJS.Timeout;
  /** How often all clients were sent what is new. */
  #rounds = 0;
  /** The messages since the last round, by the update that their clients had seen. */
  readonly #tables = new Map<number, StreamEvent>();
  #isClosed = false;

  /** @param beatMs The longest time that a client hears nothing; at most 15 seconds. */
  constructor(
    shown: DashboardData,
    settings: DashboardSettings,
    refusals: Readonly<ServerRefusals>,
    beatMs: number = BEAT_MS,
  ) {
    this.#settings = settings;
    this.#refusals = refusals;
    this.#feed = new Feed(shown, settings, () => this.#sendAll());
    this.answers = new Answers(this.#feed.table, this.#feed.history, {
      isRecord: this.#feed.isRecord,
      listExporters: () => (this.#feed.isRecord ? [] : listExporters(process.env)),
    });
    const send = (key: string, events: AnswerEvents): void => {
      for (const one of this.#subscribers) if (one.key === key) one.answer(events);
    };
    this.#running = [
      new RunningAnswers(
        (question) => this.answers.of(question, (name) => this.#feed.tabContents(name)),
        send,
        // No update follows the last one of a record, which would ask again.
        this.#feed.isRecord ? 0 : ANSWER_REST_TIMES,
      ),
      // It takes longer, and nothing waits for it.
      new RunningAnswers((question) => this.answers.why(question), send, WHY_REST_TIMES),
    ];
    this.#changes = new RunningAnswers(
      (question) => this.answers.changes(question),
      (key, events) => {
        for (const one of this.#subscribers) if (one.changesKey === key) one.answer(events);
      },
      CHANGES_REST_TIMES,
    );
    this.#feed.start(() => this.#subscribers.size > 0);
    this.#beat = setInterval(
      () => {
        for (const one of this.#subscribers) {
          if (!this.#sendMissed(one)) one.beat();
        }
      },
      Math.min(beatMs, BEAT_MS),
    ).unref();
  }

  /** Whether another client may watch. It takes the place of one that does not read, or else of the oldest: a browser comes back. */
  makeRoom(): boolean {
    if (this.#isClosed) return false;
    if (this.#subscribers.size < MOST_SUBSCRIBERS) return true;
    const all = [...this.#subscribers];
    const left = all.find(({ isBehind }) => isBehind) ?? all[0]!;
    left.end();
    return this.#subscribers.delete(left);
  }

  /**
   * @param client.lastId The id of the last event that the client has seen; `undefined` for a new client.
   * @param client.isZipped Whether it takes gzip.
   */
  add(
    response: ServerResponse,
    question: Question,
    { lastId, isZipped }: { readonly lastId: string | undefined; readonly isZipped: boolean },
  ): void {
    const subscriber = new Subscriber(response, this.#seenBy(lastId), question, isZipped, () => {
      // No other update follows the last one of a record.
      if (this.#feed.isRecord && !this.#feed.isReading) this.#sendMissed(subscriber);
    });
    this.#subscribers.add(subscriber);
    response.on('close', () => this.#subscribers.delete(subscriber));
    // The first client neither waits for the next update nor sees an old one.
    if (this.#feed.isFresh) this.#sendNews(subscriber);
    else void this.#feed.update();
  }

  /** Ends all connections at once, and resolves when the history is written. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#beat);
    for (const one of this.#subscribers) one.end();
    this.#subscribers.clear();
    await this.#feed.stop();
  }

  /** The update that an event id names; 0 for an id of another server. */
  #seenBy(lastId = ''): number {
    const [, epoch, update] = /^(.*)\.(\d{1,15})$/.exec(lastId) ?? [];
    return epoch === this.#epoch && Number(update) <= this.#feed.table.updates ? Number(update) : 0;
  }

  #sendAll(): void {
    this.#rounds++;
    this.#tables.clear();
    const ready = [...this.#subscribers].filter((one) => one.isReady);
    for (const one of ready) this.#sendTable(one);
    const questions = new Map(ready.map(({ key, question }) => [key, question]));
    for (const running of this.#running) running.keep(new Set(questions.keys()));
    this.#changes.keep(new Set(ready.map(({ changesKey }) => changesKey)));
    for (const question of questions.values()) this.#ask(question);
  }

  /** Sends a client the update that found it behind, or found no room. Returns whether there is one. */
  #sendMissed(subscriber: Subscriber): boolean {
    const hasMissed = subscriber.isReady && subscriber.seen < this.#feed.table.updates;
    if (hasMissed) this.#sendNews(subscriber);
    return hasMissed;
  }

  #sendNews(subscriber: Subscriber): void {
    this.#sendTable(subscriber);
    this.#ask(subscriber.question);
  }

  #ask(question: Question): void {
    for (const running of this.#running) running.ask(question, this.#rounds);
    this.#changes.ask(changesQuestion(question), this.#rounds);
  }

  #sendTable(subscriber: Subscriber): void {
    const { updates } = this.#feed.table;
    const { seen } = subscriber;
    const id = `${this.#epoch}.${updates}`;
    const event =
      this.#tables.get(seen) ?? new StreamEvent({ event: 'table', data: this.#tableText(seen), id });
    this.#tables.set(seen, event);
    subscriber.seen = updates;
    subscriber.send([event]);
  }

  #tableText(seen: number): string {
    const { table, history, past, isRecord, isReading, errors, tabNames } = this.#feed;
    const from = table.knowsChangesSince(seen) ? seen : 0;
    const { families, series, rows, removed } = table.changesSince(from);
    const { title, openFile } = this.#settings;
    const facts: Omit<TableMessage, 'families' | 'series' | 'rows' | 'removed'> = {
      isWhole: from === 0,
      title,
      opensFiles: openFile !== undefined,
      everyMs: this.#feed.everyMs,
      timeMs: table.snapshot.timeMs,
      leftOut: table.leftOut,
      epoch: this.#epoch,
      isRecord,
      isReading,
      history: history.facts,
      past,
      exporters: this.answers.exporters,
      tabs: tabNames,
      errors,
      refusals: REFUSAL_REASONS.map((reason) => [reason, this.#refusals[reason]] as const).filter(
        ([, count]) => count > 0,
      ),
    };
    return `${JSON.stringify(facts).slice(0, -1)},"families":${families},"series":${series},"rows":${rows},"removed":${removed}}`;
  }
}
