import type { SeriesSnapshot } from '@hdrscope/registry';
import type { LiveSeries, LiveTable } from './live-table.ts';
import { ROW_PERCENTILES } from './messages.ts';

/** All counts at one moment, by the id of their series. */
export interface Checkpoint {
  readonly timeMs: number;
  readonly series: ReadonlyMap<number, SeriesSnapshot>;
}

/** The percentiles of a series over time. */
export interface SeriesHistory {
  /** Milliseconds since 1970, ascending. */
  readonly timesMs: readonly number[];
  /** For each of `ROW_PERCENTILES`, a value for each moment; `null` when nothing was counted. */
  readonly values: readonly (readonly (number | null)[])[];
}

const WIDTH = ROW_PERCENTILES.length;

// A screen has no room for more, and a browser draws so many quickly.
const MOST_MOMENTS = 600;

// The histogram of a busy series takes about 5 KB.
const MOST_KEPT_HISTOGRAMS = 40_000;
const MOST_CHECKPOINTS = 60;
const FEWEST_CHECKPOINTS = 8;

/**
 * The percentiles of every update, and from time to time a checkpoint of all counts: the difference of two checkpoints is the
 * distribution of the time between them. Its size is bounded for any number of series and any running time.
 */
export class History {
  readonly #spanMs: number;
  readonly #moments: number;
  /** As long as `#moments`. The place of an update is its number modulo that length. */
  readonly #timesMs: Float64Array;
  /** By series id: the values of `ROW_PERCENTILES` of each moment, NaN when nothing was counted. */
  readonly #values = new Map<number, Float64Array>();
  #count = 0;
  /** Ascending in time. */
  #checkpoints: { readonly timeMs: number; readonly series: Map<number, SeriesSnapshot> }[] = [];

  constructor(spanMs: number, everyMs: number) {
    this.#spanMs = spanMs;
    this.#moments = Math.min(MOST_MOMENTS, Math.max(2, Math.ceil(spanMs / everyMs)));
    this.#timesMs = new Float64Array(this.#moments);
  }

  /** Ascending in time; the oldest is at most one span old. */
  get checkpoints(): readonly Checkpoint[] {
    return this.#checkpoints;
  }

  /** Adds the latest rows. */
  add(table: LiveTable): void {
    const { timeMs } = table.snapshot;
    const place = this.#count % this.#moments;
    this.#timesMs[place] = timeMs;
    for (const one of table.series) this.#write(one, place);
    this.#count += 1;
    this.#keep(table, timeMs);
  }

  #write({ facts: { id }, row: [, , , last] }: LiveSeries, place: number): void {
    const values = this.#values.get(id) ?? new Float64Array(this.#moments * WIDTH).fill(Number.NaN);
    this.#values.set(id, values);
    for (let i = 0; i < WIDTH; i++) values[place * WIDTH + i] = last?.[i] ?? Number.NaN;
  }

  #keep(table: LiveTable, timeMs: number): void {
    const most = Math.floor(MOST_KEPT_HISTOGRAMS / Math.max(1, table.series.length));
    const wanted = Math.min(MOST_CHECKPOINTS, Math.max(FEWEST_CHECKPOINTS, most));
    const isDue = timeMs - (this.#checkpoints.at(-1)?.timeMs ?? 0) >= this.#spanMs / wanted - 1;
    if (!isDue) return;
    const earliest = timeMs - this.#spanMs;
    this.#checkpoints = this.#checkpoints.filter((one) => one.timeMs >= earliest).slice(1 - wanted);
    this.#checkpoints.push({
      timeMs,
      series: new Map(table.series.map(({ facts, latest }) => [facts.id, latest])),
    });
  }

  /** Forgets a series that the table has removed. */
  remove(id: number): void {
    this.#values.delete(id);
    for (const { series } of this.#checkpoints) series.delete(id);
  }

  /** @param id The id of a series. */
  of(id: number): SeriesHistory {
    const values = this.#values.get(id);
    const from = Math.max(0, this.#count - this.#moments);
    const places = Array.from({ length: this.#count - from }, (_, i) => (from + i) % this.#moments);
    return {
      timesMs: places.map((place) => this.#timesMs[place]!),
      values: ROW_PERCENTILES.map((_, i) => places.map((place) => orNull(values?.[place * WIDTH + i]))),
    };
  }
}

function orNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
