/** Services with incidents whose causes are known, and quiet ones: what is asked of an engine that explains changes. */
import {
  draw,
  jitter,
  type Load,
  type Part,
  pick,
  type Random,
  readPercentile,
  type SlotCounts,
  within,
} from './drawn-counts.ts';
import { createRandom } from './random.ts';

export { BITS, SCALE } from './drawn-counts.ts';

/** What a series counted in two ranges of time. */
export interface GeneratedSeries {
  readonly attributes: Readonly<Record<string, string>>;
  readonly before: SlotCounts;
  readonly after: SlotCounts;
}

/** What happens to the series of a cause, from before to after. */
interface Incident {
  /** Parts of their values that take so many times as long after. The others stay as they are. */
  readonly slow?: readonly { readonly part: number; readonly factor: number }[];
  /** How many times as long their values take, before as well. @default 1 */
  readonly always?: number;
  /** How many times as many values they have before and after. @default 1 */
  readonly traffic?: Readonly<Partial<Record<'before' | 'after', number>>>;
}

/** The series with all of some attribute values, and what happens to them. */
export interface Guilty {
  readonly attributes: Readonly<Record<string, string>>;
  readonly incident: Incident;
}

function has(attributes: Readonly<Record<string, string>>, { attributes: wanted }: Guilty): boolean {
  return Object.entries(wanted).every(([key, value]) => attributes[key] === value);
}

/** The shares of the values of each key. */
type Shares = ReadonlyMap<string, ReadonlyMap<string, number>>;

type Choose = (shares: Shares) => readonly Guilty[];

const KEYS: Readonly<Record<string, readonly string[]>> = {
  route: ['/', '/pay', '/cart', '/search', '/login', '/reports', '/items', '/health'],
  host: ['h1', 'h2', 'h3', 'h4'],
  version: ['1.8', '1.9', '2.0'],
  status: ['200', '404', '500'],
};

/** 5,000 series. */
const LARGE_KEYS: typeof KEYS = {
  route: Array.from({ length: 1250 }, (_, i) => `/${i}`),
  host: KEYS.host!,
};

/** How restless a service is without an incident: standard deviations of logarithms, from before to after. */
interface Weather {
  /** The traffic of each attribute value. @default 0.1 */
  readonly traffic?: number;
  /** The latencies of each series. @default 0.01 */
  readonly latency?: number;
  /** All latencies together are so many times as long. @default 1 */
  readonly slower?: number;
  /** All traffic is so many times as much. @default 1 */
  readonly busier?: number;
}

/** The shares of values of a key: uneven, the first ones larger. */
function drawShares(values: readonly string[], random: Random): Map<string, number> {
  const raw = values.map((_, i) => jitter(random, 0.5) / (i + 1));
  const sum = raw.reduce((a, b) => a + b, 0);
  return new Map(values.map((value, i) => [value, raw[i]! / sum]));
}

/** Two ranges of a service. */
export interface World {
  readonly series: readonly GeneratedSeries[];
  /** A percentile after, divided by that before, of the distributions from which the counts are drawn, had these causes been all. */
  changeWith(guilty: readonly Guilty[], percentile?: number): number;
}

/**
 * Two ranges of a service: routes, hosts, versions and statuses, with latencies of their own. From before to after the traffic of each
 * attribute value varies by 10 %, that of each series by 5 %, and the latencies of each series by 1 %, also without an incident.
 */
export function world(
  random: Random,
  choose: Choose = () => [],
  keys: typeof KEYS = KEYS,
  { traffic = 0.1, latency: restless = 0.01, slower = 1, busier = 1 }: Weather = {},
): World {
  const shares = new Map(Object.entries(keys).map(([key, values]) => [key, drawShares(values, random)]));
  const values = Object.values(keys).flat();
  const drift = new Map(values.map((value) => [value, jitter(random, traffic)]));
  const latency = new Map(keys.route!.map((route) => [route, 2e7 * jitter(random, 0.8)]));
  const sigma = new Map(keys.route!.map((route) => [route, 0.3 + 0.4 * random()]));
  const guilty = choose(shares);
  const totals = { before: 1e5 * 2 ** (2 * random()), after: 3e4 * 2 ** (2 * random()) * busier };
  const quiet = combine(shares).map(([attributes, share]) => {
    const weight = share * jitter(random, 0.2);
    const median =
      latency.get(attributes.route!)! * (attributes.status === '500' ? 1.3 : 1) * jitter(random, 0.05);
    const body = { weight: 1, median, sigma: sigma.get(attributes.route!)! };
    const varied = Object.values(attributes).reduce((product, one) => product * drift.get(one)!, 1);
    return {
      attributes,
      before: { mean: totals.before * weight, body },
      after: {
        mean: totals.after * weight * varied * jitter(random, 0.05),
        body: { ...body, median: median * jitter(random, restless) * slower },
      },
    };
  });
  const loadsWith = (causes: readonly Guilty[], side: 'before' | 'after'): Load[] =>
    quiet.map(({ attributes, [side]: { mean, body } }) => {
      const incidents = causes.filter((one) => has(attributes, one)).map(({ incident }) => incident);
      const factor = incidents.reduce((all, one) => all * (one.traffic?.[side] ?? 1), 1);
      const always = incidents.reduce((all, one) => all * (one.always ?? 1), 1);
      const own = { ...body, median: body.median * always };
      const slow = side === 'after' ? incidents.find((one) => one.slow !== undefined)?.slow : undefined;
      return { mean: mean * factor, parts: slow === undefined ? [own] : partsOf(own, slow) };
    });
  const drawn = (side: 'before' | 'after'): SlotCounts[] =>
    loadsWith(guilty, side).map((load) => draw(load, random));
  const sides = { before: drawn('before'), after: drawn('after') };
  return {
    series: quiet.map(({ attributes }, i) => ({
      attributes,
      before: sides.before[i]!,
      after: sides.after[i]!,
    })),
    changeWith: (causes, percentile = 99.9) =>
      readPercentile(loadsWith(causes, 'after'), percentile) /
      readPercentile(loadsWith(causes, 'before'), percentile),
  };
}

function partsOf(body: Part, slow: NonNullable<Incident['slow']>): Part[] {
  const left = slow.reduce((sum, { part }) => sum - part, 1);
  const parts = slow.map(({ part, factor }) => ({ ...body, weight: part, median: body.median * factor }));
  return left > 1e-9 ? [{ ...body, weight: left }, ...parts] : parts;
}

/** All combinations of attribute values, with their shares. */
function combine(shares: Shares): (readonly [attributes: Record<string, string>, share: number])[] {
  let all: (readonly [Record<string, string>, number])[] = [[{}, 1]];
  for (const [key, values] of shares) {
    all = all.flatMap(([attributes, share]) =>
      [...values].map(([value, own]) => [{ ...attributes, [key]: value }, share * own] as const),
    );
  }
  return all;
}

// Causes.

/** What happens to a part of all values of this size. */
type Effect = (share: number, random: Random) => Incident;

/** Some values are slow, so that at least 0.3 % of all are. */
const tail: Effect = (share, random) => {
  const least = Math.min(1, 0.003 / share);
  const part = least + Math.max(0, 0.3 - least) * random() ** 3;
  return { slow: [{ part, factor: within(5, 45, random) }] };
};
/** All values take longer. */
const shift: Effect = (_, random) => ({ slow: [{ part: 1, factor: within(1.8, 4.8, random) }] });
const tailOrShift: Effect = (share, random) => (share > 0.05 && random() < 0.4 ? shift : tail)(share, random);
/** Slow from the middle of the range on. */
const step: Effect = (_, random) => ({ slow: [{ part: 0.5, factor: within(2, 8, random) }] });
/** Half a minute of ten. */
const spike: Effect = (_, random) => ({ slow: [{ part: 0.05, factor: within(5, 40, random) }] });
/** After a start, caches are empty: each tenth of the range is half as slow as the one before. */
const slowStart: Effect = (_, random) => {
  const factor = within(6, 20, random);
  return { slow: [0, 1, 2, 3].map((i) => ({ part: 0.1, factor: Math.max(1, factor / 2 ** i) })) };
};
const moreTraffic: Effect = (_, random) => ({ traffic: { after: within(3, 13, random) } });
const lessTraffic: Effect = (_, random) => ({ traffic: { after: within(0.02, 0.2, random) } });
/** Series that only the later range has. */
const isNew: Effect = (_, random) => ({ traffic: { before: 0 }, ...shift(0, random) });
/** Slow series that the later range has no more. */
const isGone: Effect = (_, random) => ({ traffic: { after: 0 }, always: within(2, 5, random) });
/** Nearly nothing at first, and then much that fails at once. */
const failFast: Effect = (_, random) => ({
  traffic: { before: 0.2, after: within(15, 40, random) },
  always: 0.02,
});

/** Chooses attribute values of some keys together, that a part of all values in these limits have; `undefined` when none are found. */
function choose(
  keys: readonly string[],
  shares: Shares,
  random: Random,
  [least, most]: readonly [number, number] = [0.012, 0.7],
  without?: string,
): { readonly attributes: Record<string, string>; readonly share: number } | undefined {
  for (let tries = 0; tries < 1000; tries++) {
    const values = keys.map((key) => [key, pick([...shares.get(key)!], random)] as const);
    const share = values.reduce((product, [, [, one]]) => product * one, 1);
    if (share < least || share > most || values.some(([, [value]]) => value === without)) continue;
    return { attributes: Object.fromEntries(values.map(([key, [value]]) => [key, value])), share };
  }
  return undefined;
}

// Kinds.

/** A kind of incident. */
export interface IncidentKind {
  readonly name: string;
  /** The percentile that is asked about. */
  readonly percentile: number;
  /** Generates one. Equal seeds give equal incidents. */
  generate(seed: number): IncidentWorld;
}

/** A service with an incident that moves a percentile by at least a fifth, and its causes. */
export interface IncidentWorld {
  readonly series: readonly GeneratedSeries[];
  readonly guilty: readonly Guilty[];
}

interface Recipe {
  /** The keys of each cause, together. */
  readonly keys: readonly (readonly string[])[];
  readonly effect: Effect;
  /** @default 99.9 */
  readonly percentile?: number;
  /** The part of all values that a cause has. */
  readonly limits?: readonly [number, number];
  /** Only causes without this value. */
  readonly without?: string;
  /** Whether the incident ends instead of beginning. */
  readonly isEnd?: true;
  readonly isLarge?: true;
}

/** The least part of the difference that comes from each of several causes: the mean of what it adds to none and to all others. */
const LEAST_PART = 0.25;
const LEAST_CHANGE = 1.2;

/** Generates services until the causes move the percentile, each of them by enough. */
function plant(recipe: Recipe, random: Random): IncidentWorld {
  const { keys, effect, percentile = 99.9, limits, without, isEnd = false, isLarge = false } = recipe;
  for (;;) {
    let guilty: readonly Guilty[] = [];
    const { series, changeWith } = world(
      random,
      (shares) => {
        guilty = keys.flatMap((together) => {
          const found = choose(together, shares, random, limits, without);
          if (found === undefined) return [];
          return { attributes: found.attributes, incident: effect(found.share, random) };
        });
        return guilty;
      },
      isLarge ? LARGE_KEYS : KEYS,
    );
    if (guilty.length < keys.length) continue;
    const change = changeWith(guilty, percentile);
    if (Math.max(change, 1 / change) < LEAST_CHANGE) continue;
    if (guilty.length > 1 && !areAllNeeded(guilty, (causes) => changeWith(causes, percentile))) continue;
    return { series: isEnd ? swapped(series) : series, guilty };
  }
}

function areAllNeeded(guilty: readonly Guilty[], changeWith: (causes: readonly Guilty[]) => number): boolean {
  const [none, all] = [changeWith([]), changeWith(guilty)];
  return guilty.every((one) => {
    const others = guilty.filter((other) => other !== one);
    const part = (changeWith([one]) - none + all - changeWith(others)) / 2 / (all - none);
    return part >= LEAST_PART;
  });
}

/** The end of an incident: what was after is before. */
export function swapped(series: readonly GeneratedSeries[]): GeneratedSeries[] {
  return series.map((one) => ({ ...one, before: one.after, after: one.before }));
}

const RECIPES: Readonly<Record<string, Recipe>> = {
  'some requests of one route': { keys: [['route']], effect: tail },
  'all requests of one route': { keys: [['route']], effect: shift, limits: [0.03, 0.7] },
  'some requests on one host': { keys: [['host']], effect: tail },
  'all requests on one host': { keys: [['host']], effect: shift },
  'some requests of one version': { keys: [['version']], effect: tail },
  'all requests of one version': { keys: [['version']], effect: shift },
  'some requests with one status': { keys: [['status']], effect: tail },
  'all requests with one status': { keys: [['status']], effect: shift },
  'a route on one host': { keys: [['route', 'host']], effect: tailOrShift },
  'a route in one version': { keys: [['route', 'version']], effect: tailOrShift },
  'a route with one status': { keys: [['route', 'status']], effect: tailOrShift },
  'a version on one host': { keys: [['host', 'version']], effect: tailOrShift },
  'a status on one host': { keys: [['host', 'status']], effect: tailOrShift },
  'a status of one version': { keys: [['version', 'status']], effect: tailOrShift },
  'a route on one host in one version': { keys: [['route', 'host', 'version']], effect: tailOrShift },
  'a route on one host with one status': { keys: [['route', 'host', 'status']], effect: tailOrShift },
  'a route in one version with one status': { keys: [['route', 'version', 'status']], effect: tailOrShift },
  'a version on one host with one status': { keys: [['host', 'version', 'status']], effect: tailOrShift },
  'two routes': { keys: [['route'], ['route']], effect: tail },
  'two hosts': { keys: [['host'], ['host']], effect: tail },
  'a route, and a host': { keys: [['route'], ['host']], effect: tail },
  'a route, and another one in one version': { keys: [['route'], ['route', 'version']], effect: tail },
  'more traffic of a route': { keys: [['route']], effect: moreTraffic },
  'more traffic of a route on one host': { keys: [['route', 'host']], effect: moreTraffic },
  'a new route': { keys: [['route']], effect: isNew },
  'a new host': { keys: [['host']], effect: isNew },
  'a new version': { keys: [['version']], effect: isNew },
  'a slow route is gone': { keys: [['route']], effect: isGone },
  'a slow start of a host': { keys: [['host']], effect: slowStart },
  'a slow start of a version': { keys: [['version']], effect: slowStart },
  'a route is slow from the middle on': { keys: [['route']], effect: step, limits: [0.03, 0.7] },
  'a host is slow for 30 s of 10 min': { keys: [['host']], effect: spike, limits: [0.08, 0.7] },
  'a route is slow for 30 s of 10 min': { keys: [['route']], effect: spike, limits: [0.08, 0.7] },
  'errors that are fast': {
    keys: [['status']],
    effect: failFast,
    percentile: 50,
    limits: [0, 0.3],
    without: '200',
  },
  'errors of a route that are fast': {
    ...{ keys: [['route', 'status']], effect: failFast, percentile: 50, limits: [0.01, 0.3], without: '200' },
  },
  'a silent drop of traffic': { keys: [['route']], effect: lessTraffic, percentile: 90, limits: [0.1, 0.7] },
  'one bad route of 1,250': { keys: [['route']], effect: tail, limits: [0.004, 0.3], isLarge: true },
  'one bad series of 5,000': {
    ...{ keys: [['route', 'host']], effect: tail, limits: [0.004, 0.3], isLarge: true },
  },
  'the end of a slow route': { keys: [['route']], effect: tailOrShift, isEnd: true },
  'the end of a route that was slow on one host': {
    ...{ keys: [['route', 'host']], effect: tailOrShift, isEnd: true },
  },
};

/** All kinds of incidents. */
export const INCIDENT_KINDS: readonly IncidentKind[] = Object.entries(RECIPES).map(([name, recipe]) => ({
  name,
  percentile: recipe.percentile ?? 99.9,
  generate: (seed) => plant(recipe, createRandom(seed)),
}));

/** An incident of random keys: for each cause, how many attribute values it has together. @default one cause of one value */
export function incidentWorld(random: Random, together: readonly number[] = [1]): IncidentWorld {
  const keys = together.map((count) =>
    Object.keys(KEYS)
      .sort(() => random() - 0.5)
      .slice(0, count),
  );
  return plant({ keys, effect: tailOrShift }, random);
}

/** A kind of time in which nothing happens to some series alone. */
export interface QuietKind {
  readonly name: string;
  generate(seed: number): readonly GeneratedSeries[];
}

/** All kinds of quiet times: no series has changed that others with the same attribute values have not. */
export const QUIET_KINDS: readonly QuietKind[] = (
  [
    ['an ordinary time', () => ({})],
    [
      'another time of the day',
      (random) => ({ traffic: 0.25, busier: within(0.2, 4, random), slower: within(0.95, 1.1, random) }),
    ],
    ['all series are slower alike', (random) => ({ slower: within(1.2, 3, random) })],
    ['an ordinary time of 5,000 series', () => ({})],
  ] satisfies [string, (random: Random) => Weather][]
).map(([name, weatherOf]) => ({
  name,
  generate: (seed) => {
    const random = createRandom(seed);
    const weather = weatherOf(random);
    return world(random, undefined, name.includes('5,000') ? LARGE_KEYS : KEYS, weather).series;
  },
}));

// Answers.

/** An explanation as far as it is judged here. */
interface Answer {
  readonly verdict: string;
  readonly causes: readonly {
    readonly verdict: string;
    readonly attributes: readonly (readonly { readonly key: string; readonly value: string }[])[];
  }[];
}

/** What an explanation has found of an incident. */
export interface FoundCauses {
  /** Whether the first cause that it names is a guilty one. */
  readonly isFirstRight: boolean;
  /** Whether all guilty ones are named. */
  readonly areAllNamed: boolean;
  /** Whether others are named as well. */
  readonly areOthersNamed: boolean;
}

/** Compares the causes that an explanation names with those of an incident. */
export function judgeAnswer({ verdict, causes }: Answer, guilty: readonly Guilty[]): FoundCauses {
  const textOf = (pairs: readonly (readonly [key: string, value: string])[]): string =>
    JSON.stringify([...pairs].sort());
  const truth = guilty.map(({ attributes }) => textOf(Object.entries(attributes)));
  const named = causes
    .filter((cause) => verdict === 'explained' && cause.verdict.startsWith('explains it'))
    .map(({ attributes }) =>
      attributes.map((together) => textOf(together.map(({ key, value }) => [key, value]))),
    );
  const isTrue = (names: readonly string[]): boolean => names.some((name) => truth.includes(name));
  return {
    isFirstRight: named.slice(0, 1).some(isTrue),
    areAllNamed: truth.every((one) => named.some((names) => names.includes(one))),
    areOthersNamed: !named.every(isTrue),
  };
}
