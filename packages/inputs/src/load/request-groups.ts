import { type Bounds, Histogram } from '@hdrscope/core';
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
  failed: number;
  requests: number;
}

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
  { by: asked, where, percentiles, significantDigits }: GroupOptions,
  options: Omit<ReadRequestsOptions, 'name' | 'labels'>,
): Promise<RequestGroups> {
  const facts = requestFacts(form, options);
  const perMs = 1 / (facts.stepMs ?? 1e-6);
  const by = [...new Set(asked)];
  const { route, ...others } = where;
  // A route may get another name until all requests are read.
  const keys = route === undefined || by.includes(ROUTE) ? by : [...by, ROUTE];
  const wanted = [...new Set([...keys, ...Object.keys(others)])];
  const conditions = Object.entries(others).map(([label, value]) => [wanted.indexOf(label), value] as const);
  const newTally = (labels: readonly string[]): Tally => ({
    labels,
    histogram: new Histogram({ significantDigits, storage: 'sparse' }),
    failed: 0,
    requests: 0,
  });
  let tallies = new Map<string, Tally>();
  const other = newTally(keys.map(() => OTHER));
  let last: Tally | undefined;
  let beyond = 0;
  const find = (labels: readonly string[]): Tally => {
    const key = keys.length === 1 ? labels[0]! : labels.slice(0, keys.length).join('\0');
    const found = tallies.get(key);
    if (found !== undefined) return found;
    if (tallies.size >= MOST_GROUPS) {
      beyond++;
      return other;
    }
    const tally = newTally(labels.slice(0, keys.length));
    tallies.set(key, tally);
    return tally;
  };
  const sink: RequestSink = {
    onRequest(durationMs, _, labels = []) {
      last = undefined;
      for (const [at, value] of conditions) if (labels[at] !== value) return;
      last = find(labels);
      last.histogram.record(Math.round(durationMs * perMs));
    },
    onOutcome(isFailed) {
      if (last === undefined) return;
      last.requests++;
      if (isFailed) last.failed++;
    },
    onSettled(settle) {
      tallies = joinTallies(tallies.values(), settle);
    },
  };
  for (const { name, bytes } of inputs) {
    await readRequests(form, bytes, sink, { ...options, name, ...(wanted.length > 0 && { labels: wanted }) });
  }
  // Whether requests beyond the number of groups have the wanted route is not known.
  const rest = route === undefined && beyond > 0 ? [other] : [];
  const isWanted = ({ labels }: Tally): boolean =>
    route === undefined || labels[keys.indexOf(ROUTE)] === route;
  const chosen = joinTallies([...[...tallies.values()].filter(isWanted), ...rest], (labels) =>
    labels.slice(0, by.length),
  );
  const groups = [...chosen.values()]
    .sort((a, b) => Number(isRest(a)) - Number(isRest(b)) || b.histogram.totalCount - a.histogram.totalCount)
    .map((tally) => groupOfTally(tally, by, percentiles, facts));
  return { beyond, groups };
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
    else {
      into.histogram.add(tally.histogram);
      into.failed += tally.failed;
      into.requests += tally.requests;
    }
  }
  return joined;
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
