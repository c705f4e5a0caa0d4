import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { REFUSAL_REASONS, type ServerRefusals } from '@hdrscope/kit/server';
import type { Registry } from '@hdrscope/registry';
import { Feed } from './feed.ts';
import type { TableMessage } from './messages.ts';
import type { DashboardSettings } from './options.ts';
import { type Message, Subscriber, type Watched } from './subscriber.ts';

// Proxies cut streams that are silent for a minute.
const BEAT_MS = 15_000;
const MOST_SUBSCRIBERS = 100;

/** Sends the updates of a feed to all clients. */
export class Broadcast {
  readonly #feed: Feed;
  readonly #settings: DashboardSettings;
  readonly #refusals: Readonly<ServerRefusals>;
  readonly #subscribers = new Set<Subscriber>();
  /** Marks event ids of this server, since ids of another server mean nothing here. */
  readonly #epoch = randomBytes(6).toString('base64url');
  readonly #beat: NodeJS.Timeout;
  #isClosed = false;

  /** @param beatMs The longest time that a client hears nothing; at most 15 seconds. */
  constructor(
    registry: Registry,
    settings: DashboardSettings,
    refusals: Readonly<ServerRefusals>,
    beatMs: number = BEAT_MS,
  ) {
    this.#settings = settings;
    this.#refusals = refusals;
    this.#feed = new Feed(registry, settings, () => this.#sendAll());
    this.#feed.start(() => this.#subscribers.size > 0);
    this.#beat = setInterval(
      () => {
        for (const one of this.#subscribers) one.beat();
      },
      Math.min(beatMs, BEAT_MS),
    ).unref();
  }

  /** Whether another client may watch. */
  get hasRoom(): boolean {
    return !this.#isClosed && this.#subscribers.size < MOST_SUBSCRIBERS;
  }

  /** @param lastId The id of the last event that the client has seen; `undefined` for a new client. */
  add(response: ServerResponse, lastId: string | undefined, watched: Watched): void {
    const subscriber = new Subscriber(response, this.#seenBy(lastId), watched);
    this.#subscribers.add(subscriber);
    response.on('close', () => this.#subscribers.delete(subscriber));
    // The first client neither waits for the next update nor sees an old one.
    if (this.#feed.isFresh) this.#send(subscriber, new Map());
    else void this.#feed.update();
  }

  close(): void {
    this.#isClosed = true;
    this.#feed.stop();
    clearInterval(this.#beat);
    for (const one of this.#subscribers) one.end();
    this.#subscribers.clear();
  }

  /** The update that an event id names; 0 for an id of another server. */
  #seenBy(lastId = ''): number {
    const [, epoch, update] = /^(.*)\.(\d{1,15})$/.exec(lastId) ?? [];
    return epoch === this.#epoch && Number(update) <= this.#feed.table.updates ? Number(update) : 0;
  }

  #sendAll(): void {
    const tables = new Map<number, string>();
    for (const one of this.#subscribers) {
      if (one.isReady) this.#send(one, tables);
    }
  }

  /** @param tables The texts that were made for other clients, by the update that these had seen. */
  #send(subscriber: Subscriber, tables: Map<number, string>): void {
    const { updates } = this.#feed.table;
    const text = tables.get(subscriber.seen) ?? this.#tableText(subscriber.seen);
    tables.set(subscriber.seen, text);
    const messages: Message[] = [{ event: 'table', data: text, id: `${this.#epoch}.${updates}` }];
    const { series, view } = subscriber.watched;
    const detail = series === undefined ? undefined : this.#feed.detailText(series);
    if (detail !== undefined) messages.push({ event: 'detail', data: detail });
    const plots = view === undefined ? undefined : JSON.stringify(this.#feed.view(view));
    // A view of files rarely changes.
    if (plots !== undefined && plots !== subscriber.seenView) messages.push({ event: 'view', data: plots });
    subscriber.seenView = plots;
    subscriber.seen = updates;
    subscriber.send(messages);
  }

  #tableText(seen: number): string {
    const { table, errors, viewNames } = this.#feed;
    const from = table.knowsChangesSince(seen) ? seen : 0;
    const { families, series, rows, removed } = table.changesSince(from);
    const { title, everyMs, openFile } = this.#settings;
    const facts: Omit<TableMessage, 'families' | 'series' | 'rows' | 'removed'> = {
      isWhole: from === 0,
      title,
      opensFiles: openFile !== undefined,
      everyMs,
      timeMs: table.snapshot.timeMs,
      views: viewNames,
      errors,
      refusals: REFUSAL_REASONS.map((reason) => [reason, this.#refusals[reason]] as const).filter(
        ([, count]) => count > 0,
      ),
    };
    return `${JSON.stringify(facts).slice(0, -1)},"families":${families},"series":${series},"rows":${rows},"removed":${removed}}`;
  }
}
