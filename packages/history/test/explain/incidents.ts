import type { SeriesChange, SlotCounts } from '../../src/explain/series-change.ts';
import { slotOfTick } from '../../src/index.ts';

type Random = () => number;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A factor around 1. */
function jitter(random: Random, sigma: number): number {
  return Math.exp(sigma * normal(random));
}

function poisson(mean: number, random: Random): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}

export const BITS = 4;
export const SCALE = 1e-9;
const FIRST = slotOfTick(1e4, BITS);
const LAST = slotOfTick(1e11, BITS);
const BOUNDS = Array.from({ length: LAST - FIRST + 2 }, (_, i) => Math.log(lowerOf(FIRST + i)));

function lowerOf(k: number): number {
  return 2 ** ((k >> BITS) - 1023) * (1 + (k & (2 ** BITS - 1)) / 2 ** BITS);
}

/** The normal distribution function: Abramowitz and Stegun 26.2.17 is enough here. */
function phi(x: number): number {
  if (x < -6) return 0;
  if (x > 6) return 1;
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    ((Math.exp((-x * x) / 2) * t) / Math.sqrt(2 * Math.PI)) *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x >= 0 ? 1 - tail : tail;
}

/** A lognormal part of a distribution. */
interface Part {
  readonly weight: number;
  /** In ticks. */
  readonly median: number;
  readonly sigma: number;
}

/** Poisson counts of a mixture. */
function counts(mean: number, parts: readonly Part[], expectation: Float64Array, random: Random): SlotCounts {
  const k: number[] = [];
  const c: number[] = [];
  const logs = parts.map(({ median }) => Math.log(median));
  const upTo = (i: number): number => {
    let sum = 0;
    for (const [at, { weight, sigma }] of parts.entries())
      sum += weight * phi((BOUNDS[i]! - logs[at]!) / sigma);
    return sum;
  };
  let seen = upTo(0);
  for (let i = 0; i < BOUNDS.length - 1; i++) {
    const next = upTo(i + 1);
    const expected = mean * (next - seen);
    seen = next;
    if (expected < 1e-9) continue;
    expectation[i]! += expected;
    const count = poisson(expected, random);
    if (count === 0) continue;
    k.push(FIRST + i);
    c.push(count);
  }
  return { k, c };
}

/** What happens to the series of a cause. */
export type Incident =
  | { readonly kind: 'tail'; readonly part: number; readonly factor: number }
  | { readonly kind: 'shift'; readonly factor: number }
  | { readonly kind: 'traffic'; readonly factor: number };

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

export interface World {
  readonly series: readonly SeriesChange[];
  /** The percentile 99.9 after, divided by that before, of the distributions from which the counts are drawn, had these causes been all. */
  changeWith(guilty: readonly Guilty[]): number;
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  route: ['/', '/pay', '/cart', '/search', '/login', '/reports', '/items', '/health'],
  host: ['h1', 'h2', 'h3', 'h4'],
  version: ['1.8', '1.9', '2.0'],
  status: ['200', '404', '500'],
};

/** The shares of values of a key: uneven, the first ones larger. */
function sharesOf(values: readonly string[], random: Random): Map<string, number> {
  const raw = values.map((_, i) => jitter(random, 0.5) / (i + 1));
  const sum = raw.reduce((a, b) => a + b, 0);
  return new Map(values.map((value, i) => [value, raw[i]! / sum]));
}

/**
 * Two ranges of a service: routes, hosts, versions and statuses, with latencies of their own. From before to after the traffic of each
 * attribute value varies by 10 %, that of each series by 5 %, and the latencies of each series by 1 %, also without an incident.
 */
export function world(random: Random, choose?: Choose): World {
  const shares = new Map(Object.entries(KEYS).map(([key, values]) => [key, sharesOf(values, random)]));
  const drift = new Map(
    Object.values(KEYS)
      .flat()
      .map((value) => [value, jitter(random, 0.1)]),
  );
  const latency = new Map(KEYS.route!.map((route) => [route, 2e7 * jitter(random, 0.8)]));
  const sigma = new Map(KEYS.route!.map((route) => [route, 0.3 + 0.4 * random()]));
  const guilty = choose?.(shares) ?? [];
  const totals = { before: 1e5 * 2 ** (2 * random()), after: 3e4 * 2 ** (2 * random()) };
  const expected = new Float64Array(BOUNDS.length);
  const quiet = cells(shares).map(([attributes, share]) => {
    const values = Object.values(attributes);
    const weight = share * jitter(random, 0.2);
    const median =
      latency.get(attributes.route!)! * (attributes.status === '500' ? 1.3 : 1) * jitter(random, 0.05);
    const body = { weight: 1, median, sigma: sigma.get(attributes.route!)! };
    const varied = values.reduce((product, one) => product * drift.get(one)!, 1);
    return {
      attributes,
      before: counts(totals.before * weight, [body], expected, random),
      now: { ...body, median: median * jitter(random, 0.01) },
      meanAfter: totals.after * weight * varied * jitter(random, 0.05),
    };
  });
  const seriesWith = (causes: readonly Guilty[], expectation: Float64Array, draw: Random): SeriesChange[] =>
    quiet.map(({ attributes, before, now, meanAfter }) => {
      const incident = causes.find((one) => has(attributes, one))?.incident;
      const mean = meanAfter * (incident?.kind === 'traffic' ? incident.factor : 1);
      return { attributes, before, after: counts(mean, afterParts(now, incident), expectation, draw) };
    });
  const changeWith = (causes: readonly Guilty[]): number => {
    const after = new Float64Array(BOUNDS.length);
    seriesWith(causes, after, () => 0.5);
    return p999(after) / p999(expected);
  };
  return { series: seriesWith(guilty, new Float64Array(BOUNDS.length), random), changeWith };
}

/** All combinations of attribute values, with their shares. */
function cells(shares: Shares): (readonly [attributes: Record<string, string>, share: number])[] {
  let all: (readonly [Record<string, string>, number])[] = [[{}, 1]];
  for (const [key, values] of shares) {
    all = all.flatMap(([attributes, share]) =>
      [...values].map(([value, own]) => [{ ...attributes, [key]: value }, share * own] as const),
    );
  }
  return all;
}

function p999(expected: Float64Array): number {
  const rank = 0.999 * expected.reduce((sum, one) => sum + one, 0);
  let seen = 0;
  let i = 0;
  while (seen < rank) seen += expected[i++]!;
  return Math.exp(BOUNDS[i]!);
}

function afterParts(body: Part, incident: Incident | undefined): Part[] {
  if (incident === undefined || incident.kind === 'traffic') return [body];
  const slow = { ...body, median: body.median * incident.factor };
  if (incident.kind === 'shift') return [slow];
  return [
    { ...body, weight: 1 - incident.part },
    { ...slow, weight: incident.part },
  ];
}

/** An incident of a part of all values that at least 0.3 % of all feel. */
function incidentOf(share: number, random: Random): Incident {
  if (share > 0.05 && random() < 0.4) return { kind: 'shift', factor: 1.8 + 3 * random() };
  const least = Math.min(1, 0.003 / share);
  const part = least + Math.max(0, 0.3 - least) * random() ** 3;
  return { kind: 'tail', part, factor: 5 + 40 * random() };
}

/** Some attribute values together, of random keys, that 1.2 to 70 % of all values have. */
function causeOf(together: number, shares: Shares, random: Random): Guilty {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  for (;;) {
    const keys = [...shares.keys()].sort(() => random() - 0.5).slice(0, together);
    const values = keys.map((key) => [key, pick([...shares.get(key)!])] as const);
    const share = values.reduce((product, [, [, one]]) => product * one, 1);
    if (share < 0.012 || share > 0.7) continue;
    const attributes = Object.fromEntries(values.map(([key, [value]]) => [key, value]));
    return { attributes, incident: incidentOf(share, random) };
  }
}

/** A world with incidents that move the percentile 99.9 by at least a fifth, and their causes. */
export interface IncidentWorld {
  readonly series: readonly SeriesChange[];
  readonly guilty: readonly Guilty[];
}

/** The least part of the difference that comes from each of two causes, as its mean over both orders. */
const LEAST_PART = 0.25;

/** @param together How many attribute values each cause has, of at most two. @default one cause of one value */
export function incidentWorld(random: Random, together: readonly number[] = [1]): IncidentWorld {
  for (;;) {
    let guilty: readonly Guilty[] = [];
    const { series, changeWith } = world(random, (shares) => {
      guilty = together.map((count) => causeOf(count, shares, random));
      return guilty;
    });
    const change = changeWith(guilty);
    if (change < 1.2) continue;
    if (guilty.length === 1) return { series, guilty };
    const none = changeWith([]);
    const alone = guilty.map((one) => changeWith([one]));
    const parts = guilty.map((_, at) => {
      return (alone[at]! - none + change - alone[1 - at]!) / 2 / (change - none);
    });
    if (parts.every((part) => part >= LEAST_PART)) return { series, guilty };
  }
}
