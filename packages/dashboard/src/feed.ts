import { visible } from '@hdrscope/core/internal';
import { reasonOf } from '@hdrscope/kit';
import { type FamilySnapshot, type Registry, SHARED_GATHER_MS, type Snapshot } from '@hdrscope/registry';
import { bucketsOf, detailOf } from './detail.ts';
import { History } from './history.ts';
import { type LiveSeries, LiveTable } from './live-table.ts';
import type { ViewMessage } from './messages.ts';
import type { DashboardSettings, View } from './options.ts';

/** The time limit of a gather, after which the page goes on without the slow source. */
const PATIENCE_MS = 5000;

// Without clients, updates are this many times rarer: they only keep the history.
const IDLE_TIMES = 5;

// A view with more charts is hard to read.
const MOST_CHARTS = 24;

/** Gathers a registry regularly, once for all clients, and holds everything that the page shows. Never throws. */
export class Feed {
  readonly table: LiveTable;
  readonly history: History;
  readonly #registry: Registry;
  readonly #settings: DashboardSettings;
  readonly #onUpdate: () => void;
  #timer: NodeJS.Timeout | undefined;
  #views: readonly View[] = [];
  #errors: readonly string[] = [];
  #running: Promise<void> | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Details as JSON, by series, of the update `#detailsUpdate`. */
  #details = new Map<number, string>();
  #detailsUpdate = 0;

  constructor(registry: Registry, settings: DashboardSettings, onUpdate: () => void) {
    this.#registry = registry;
    this.#settings = settings;
    this.#onUpdate = onUpdate;
    // A series that has ended leaves the page with the last of its history.
    this.table = new LiveTable(settings.historyMs);
    this.history = new History(settings.historyMs, settings.everyMs);
  }

  /** Sources that failed at the last update, each with its reason. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** @param isWatched Whether there are clients. Without clients, updates are rarer. */
  start(isWatched: () => boolean): void {
    const { everyMs } = this.#settings;
    this.#timer = setInterval(() => {
      // A timer is early or late by a little.
      const isDue = performance.now() - this.#lastMs >= everyMs * IDLE_TIMES - everyMs / 2;
      if (isWatched() || isDue) void this.update();
    }, everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Whether the last update is at most one and a half intervals old. */
  get isFresh(): boolean {
    return this.table.updates > 0 && performance.now() - this.#lastMs < 1.5 * this.#settings.everyMs;
  }

  /** Brings everything up to date; joins an update that is under way. Never rejects. */
  update(): Promise<void> {
    this.#running ??= this.#update().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #update(): Promise<void> {
    this.#lastMs = performance.now();
    try {
      this.#take(await this.#registry.gather({ timeoutMs: PATIENCE_MS, maxAgeMs: SHARED_GATHER_MS }));
    } catch (error) {
      this.#errors = [visible(`the registry: ${reasonOf(error)}`)];
    }
    await this.#askViews();
    this.#onUpdate();
  }

  #take(snapshot: Snapshot): void {
    // Two snapshots in one millisecond, or around a clock that was set back, have no interval between them.
    if (this.table.updates > 0 && snapshot.timeMs <= this.table.snapshot.timeMs) return;
    for (const id of this.table.update(snapshot)) this.history.remove(id);
    this.history.add(this.table);
    this.#errors = snapshot.errors.map(({ source, error }) => visible(`${source}: ${reasonOf(error)}`));
  }

  /** When the views cannot be made, the last ones stay. */
  async #askViews(): Promise<void> {
    try {
      this.#views = await this.#settings.views();
    } catch (error) {
      this.#errors = [...this.#errors, visible(`the views: ${reasonOf(error)}`)];
    }
  }

  /** The names of all views. */
  get viewNames(): string[] {
    const ofFamilies = this.table.series.map(({ family }) => this.#viewOf(family));
    const names = [...this.#views.map(({ name }) => visible(name)), ...ofFamilies];
    return [...new Set(names)].filter((name) => name !== undefined);
  }

  #viewOf(family: FamilySnapshot): string | undefined {
    const name = this.#settings.viewOf(family);
    return name === undefined ? undefined : visible(name);
  }

  /** The plots of a view: the given ones, then the busiest series of its families. */
  view(name: string): ViewMessage {
    const given = this.#views.filter((view) => visible(view.name) === name).flatMap(({ plots }) => plots);
    const own = this.table.series.filter(({ family }) => this.#viewOf(family) === name);
    const busiest = own
      .filter(({ latest }) => latest.histogram.totalCount > 0)
      .sort((a, b) => b.latest.histogram.totalCount - a.latest.histogram.totalCount)
      .slice(0, MOST_CHARTS)
      .sort((a, b) => a.facts.id - b.facts.id);
    return {
      name,
      plots: [...given, ...busiest.map((one) => bucketsOf(one.family, one.latest, titleOf(one)))],
    };
  }

  /** The detail of a series as JSON, made once for all clients; `undefined` for an unknown id. */
  detailText(id: number): string | undefined {
    const one = this.table.find(id);
    if (one === undefined) return undefined;
    if (this.#detailsUpdate !== this.table.updates) this.#details = new Map();
    this.#detailsUpdate = this.table.updates;
    const known = this.#details.get(id);
    if (known !== undefined) return known;
    const text = JSON.stringify(detailOf(one, this.history, this.table.snapshot.timeMs));
    this.#details.set(id, text);
    return text;
  }
}

function titleOf({ family, facts }: LiveSeries): string {
  return facts.attributes.length === 0 ? family.name : `${family.name} (${facts.attributes.join(', ')})`;
}
