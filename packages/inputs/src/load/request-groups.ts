import { type Bounds, HdrscopeError, Histogram } from '@hdrscope/core';
import type { TextBytes } from '../bytes.ts';
import { type Figure, type Figures, readFigure, summarizeHistogram } from '../distribution.ts';
import type { GroupOptions, ValueGroup } from './groups.ts';
import type { ReadRequestsOptions, RequestFacts, RequestSink } from './load.ts';
import { type RequestForm, requestFacts } from './load-form.ts';
import { readRequests } from './read-load.ts';

/** A log of a day has millions of requests, and labels that somebody sends must not fill the memory. */
const MOST_GROUPS = 1000;

/** The label of values beyond {@link MOST_GROUPS}. */
const OTHER = '(other)';

/** The label whose values get their names when all requests are read. */
const ROUTE = 'route';

interface Tally {
  readonly labels: readonly string[];
  readonly histogram: Histogram;
  /** The same requests by intervals, if they are asked for. */
  readonly intervals: Map<number, Tally> | undefined;
  failed: number;
  requests: number;
}

/** How requests are kept apart by their times. */
export interface RequestIntervals {
  readonly everySec: number;
  /** The steps of their histograms: 1e6 are nanoseconds. */
  readonly ticksPerMs: number;
}

/** The requests of a group in an interval. */
export interface RequestInterval extends ValueGroup {
  /** Since 1970, or since the start of the test. */
  readonly startSec: number;
  readonly histogram: Histogram;
}

/** Histograms of intervals that are kept at one time. Each takes one or two kilobytes. */
const MOST_INTERVALS = 100_000;

/** An input of requests. */
export interface RequestInput {
  readonly name: string;
  readonly bytes: TextBytes;
}

/** The groups of requests, the largest first. */
export interface RequestGroups {
  readonly groups: readonly ValueGroup[];
  /** How many requests were beyond the number of groups: they are a group of their own, or left out when a route is wanted. */
  readonly beyond: number;
}

/**
 * Groups the requests of inputs of one form.
 *
 * @throws HdrscopeError as `readRequests`.
 */
export async function summarizeRequestGroups(
  form: RequestForm,
  inputs: readonly RequestInput[],
  asked: GroupOptions,
  options: Omit<ReadRequestsOptions, 'name' | 'labels'>,
): Promise<RequestGroups> {
  const grouping = new RequestGrouping(form, asked, options);
  for (const input of inputs) await grouping.read(input);
  return grouping.take();
}

/** Groups the requests of inputs of one form by intervals of time, which begin at multiples of their length. */
export async function countRequestIntervals(
  form: RequestForm,
  inputs: readonly RequestInput[],
  asked: GroupOptions,
  apart: RequestIntervals,
  options: Omit<ReadRequestsOptions, 'name' | 'labels'>,
): Promise<{ readonly intervals: readonly RequestInterval[]; readonly beyond: number }> {
  const grouping = new RequestGrouping(form, asked, options, apart);
  for (const input of inputs) await grouping.read(input);
  return grouping.takeIntervals();
}

type Settle = (labels: readonly string[]) => readonly string[];

/** Groups requests while they are read. */
export class RequestGrouping {
  readonly #form: RequestForm;
  readonly #asked: GroupOptions;
  readonly #options: Omit<ReadRequestsOptions, 'name' | 'labels'>;
  readonly #by: readonly string[];
  /** The labels of tallies: a route may get another name until somebody asks, so one that is wanted is among them. */
  readonly #keys: readonly string[];
  /** All labels that are read. */
  readonly #wanted: readonly string[];
  #tallies = new Map<string, Tally>();
  #other: Tally;
  #beyond = 0;
  /** @default requests are not kept apart by their times */
  readonly #apart: RequestIntervals | undefined;
  #intervals = 0;
  #settle: Settle | undefined;

  constructor(
    form: RequestForm,
    asked: GroupOptions,
    options: Omit<ReadRequestsOptions, 'name' | 'labels'>,
    apart?: RequestIntervals,
  ) {
    this.#apart = apart;
    const { route, ...others } = asked.where;
    this.#form = form;
    this.#asked = asked;
    this.#options = options;
    this.#by = [...new Set(asked.by)];
    this.#keys = route === undefined || this.#by.includes(ROUTE) ? this.#by : [...this.#by, ROUTE];
    this.#wanted = [...new Set([...this.#keys, ...Object.keys(others)])];
    this.#other = this.#newOther();
  }

  /** Reads the requests of an input to its end. Groups may be taken meanwhile. @throws HdrscopeError as `readRequests`. */
  async read({ name, bytes }: RequestInput): Promise<void> {
    const { route: _, ...others } = this.#asked.where;
    const wanted = this.#wanted;
    const apart = this.#apart;
    const perMs = 1 / (requestFacts(this.#form, this.#options).stepMs ?? 1e-6);
    const conditions = Object.entries(others).map(
      ([label, value]) => [wanted.indexOf(label), value] as const,
    );
    let last: Tally | undefined;
    let interval: Tally | undefined;
    const sink: RequestSink = {
      onRequest: (durationMs, atSec, labels = []) => {
        last = undefined;
        for (const [at, value] of conditions) if (labels[at] !== value) return;
        last = this.#find(labels);
        last.histogram.record(Math.round(durationMs * perMs));
        if (apart !== undefined)
          interval = this.#findInterval(last, Math.floor(atSec / apart.everySec), name);
        interval?.histogram.record(Math.round(durationMs * apart!.ticksPerMs));
      },
      onOutcome(isFailed) {
        if (last === undefined) return;
        countOutcome(last, isFailed);
        if (interval !== undefined) countOutcome(interval, isFailed);
      },
      onLabels: (settle) => {
        this.#settleAll();
        this.#settle = settle;
      },
    };
    const labels = wanted.length > 0 ? { labels: wanted } : {};
    await readRequests(this.#form, bytes, sink, { ...this.#options, name, ...labels });
  }

  /** The groups of the requests that were read since the last call. */
  take(): RequestGroups {
    const { beyond, chosen } = this.#takeTallies();
    const facts = requestFacts(this.#form, this.#options);
    const groups = [...chosen.values()]
      .sort(
        (a, b) => Number(isRest(a)) - Number(isRest(b)) || b.histogram.totalCount - a.histogram.totalCount,
      )
      .map((tally) => groupOfTally(tally, this.#by, this.#asked.percentiles, facts));
    return { beyond, groups };
  }

  /** The intervals of the requests that were read since the last call, in the order of their times. */
  takeIntervals(): { readonly intervals: readonly RequestInterval[]; readonly beyond: number } {
    const { beyond, chosen } = this.#takeTallies();
    const { everySec, ticksPerMs } = this.#apart!;
    const facts = { ...requestFacts(this.#form, this.#options), stepMs: 1 / ticksPerMs };
    const intervals: RequestInterval[] = [];
    for (const { labels, intervals: found } of chosen.values()) {
      for (const [index, tally] of found!) {
        const group = groupOfTally({ ...tally, labels }, this.#by, this.#asked.percentiles, facts);
        intervals.push({ ...group, startSec: index * everySec, histogram: tally.histogram });
      }
    }
    intervals.sort((a, b) => a.startSec - b.startSec);
    return { beyond, intervals };
  }

  #takeTallies(): { readonly beyond: number; readonly chosen: ReadonlyMap<string, Tally> } {
    this.#settleAll();
    const { route } = this.#asked.where;
    const [beyond, tallies, other] = [this.#beyond, this.#tallies, this.#other];
    this.#beyond = 0;
    this.#intervals = 0;
    this.#tallies = new Map();
    this.#other = this.#newOther();
    // Whether requests beyond the number of groups have the wanted route is not known.
    const rest = route === undefined && beyond > 0 ? [other] : [];
    const isWanted = ({ labels }: Tally): boolean =>
      route === undefined || labels[this.#keys.indexOf(ROUTE)] === route;
    const chosen = joinTallies([...[...tallies.values()].filter(isWanted), ...rest], (labels) =>
      labels.slice(0, this.#by.length),
    );
    return { beyond, chosen };
  }

  #settleAll(): void {
    if (this.#settle !== undefined) this.#tallies = joinTallies(this.#tallies.values(), this.#settle);
  }

  #find(labels: readonly string[]): Tally {
    const keys = this.#keys.length;
    const key = keys === 1 ? labels[0]! : labels.slice(0, keys).join('\0');
    const found = this.#tallies.get(key);
    if (found !== undefined) return found;
    if (this.#tallies.size >= MOST_GROUPS) {
      this.#beyond++;
      return this.#other;
    }
    const tally = this.#newTally(labels.slice(0, keys));
    this.#tallies.set(key, tally);
    return tally;
  }

  /** @throws HdrscopeError `ERR_TOO_LARGE` */
  #findInterval({ intervals, labels }: Tally, index: number, name: string): Tally {
    const found = intervals!.get(index);
    if (found !== undefined) return found;
    if (++this.#intervals > MOST_INTERVALS) {
      throw new HdrscopeError(
        'ERR_TOO_LARGE',
        `${name} must have at most ${MOST_INTERVALS} intervals of all groups together: take longer ones, or fewer labels`,
      );
    }
    const tally = this.#newTally(labels, false);
    intervals!.set(index, tally);
    return tally;
  }

  #newTally(labels: readonly string[], hasIntervals = this.#apart !== undefined): Tally {
    const { significantDigits } = this.#asked;
    const histogram = new Histogram({ significantDigits, storage: 'sparse' });
    const intervals = hasIntervals ? new Map<number, Tally>() : undefined;
    return { labels, histogram, intervals, failed: 0, requests: 0 };
  }

  #newOther(): Tally {
    return this.#newTally(this.#keys.map(() => OTHER));
  }
}

/** Whether a tally has what is beyond the number of groups, or of routes. */
function isRest({ labels }: Tally): boolean {
  return labels.length > 0 && labels.every((label) => label === OTHER);
}

/** Tallies by other labels. Those whose labels become equal are one. */
function joinTallies(
  all: Iterable<Tally>,
  rename: (labels: readonly string[]) => readonly string[],
): Map<string, Tally> {
  const joined = new Map<string, Tally>();
  for (const tally of all) {
    const labels = rename(tally.labels);
    const key = labels.join('\0');
    const into = joined.get(key);
    if (into === undefined) joined.set(key, { ...tally, labels });
    else addTally(into, tally);
  }
  return joined;
}

function addTally(into: Tally, { histogram, intervals = new Map(), failed, requests }: Tally): void {
  into.histogram.add(histogram);
  into.failed += failed;
  into.requests += requests;
  for (const [index, interval] of intervals) {
    const known = into.intervals!.get(index);
    if (known === undefined) into.intervals!.set(index, interval);
    else addTally(known, interval);
  }
}

function countOutcome(tally: Tally, isFailed: boolean): void {
  tally.requests++;
  if (isFailed) tally.failed++;
}

function groupOfTally(
  { labels, histogram, failed, requests }: Tally,
  by: readonly string[],
  percentiles: readonly number[],
  { errorMs, stepMs = 1e-6, failure: meaning = '' }: RequestFacts,
): ValueGroup {
  const figures = summarizeHistogram(histogram, {
    name: labels.join(' '),
    unit: 'ms',
    percentiles,
    shown: (ticks) => Number((ticks * stepMs).toPrecision(15)),
  });
  return {
    labels: Object.fromEntries(by.map((label, at) => [label, labels[at]!])),
    figures: errorMs === undefined ? figures : widenFigures(figures, errorMs),
    ...(requests > 0 && { errors: { failed, requests, meaning } }),
  };
}

/**
 * Figures in milliseconds of values that may each have been lower and higher: a percentile is then lower or higher by as much at most.
 *
 * @param error How far below and above.
 */
export function widenFigures(figures: Figures, error: Bounds): Figures {
  const { lower, upper } = error;
  const widen = (figure: Figure): Figure => ({
    value: readFigure(figure),
    lower: Number(Math.max(0, figure.lower - lower).toPrecision(15)),
    upper: Number((figure.upper + upper).toPrecision(15)),
  });
  const { stdev: _, ...others } = figures;
  return {
    ...others,
    min: widen(figures.min),
    mean: widen(figures.mean),
    max: widen(figures.max),
    percentiles: figures.percentiles.map(({ percentile, ...figure }) => ({ percentile, ...widen(figure) })),
    // Tables have the bounds.
    areBounds: true,
  };
}
