import { HdrscopeError } from '@hdrscope/core';
import { asArray, asObject, asText, Budget, parseJson } from '@hdrscope/kit';
import { apiUrl, requestAnswer } from '../scraper/request-answer.ts';
import { type AnsweredSeries, type Comparison, compareAnswers, compareLabels } from './compare-answers.ts';
import type { Claim } from './query-verdict.ts';
import { removeRates, substituteVariables } from './substitute-variables.ts';

/** A Prometheus server that stores classic and native histograms, and the time that it is asked about. */
export interface ProvingServer {
  readonly url: URL;
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Cuts off a request. */
  readonly signal: AbortSignal | undefined;
}

/** What the answers of a server say about a rewriting. */
export type Proof =
  /** The number of values that were compared. */
  | { readonly outcome: 'equal'; readonly values: number }
  | { readonly outcome: 'different'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

/** A query before and after its rewriting. */
export interface QueryPair {
  readonly before: string;
  readonly after: string;
  readonly claims: readonly Claim[];
}

const NO_VALUE = 'a variable stands for a part that has no value here';

/**
 * Asks a server for both sides of all claims of a rewriting, and for the whole query before and after.
 *
 * @throws HdrscopeError `ERR_SCRAPE` when the server does not answer; `ERR_TOO_LARGE` when an answer is too large.
 */
export async function proveRewriting({ claims, ...pair }: QueryPair, server: ProvingServer): Promise<Proof> {
  let values = 0;
  for (const claim of claims) {
    const asked = substituteClaim(claim);
    if (asked === undefined) return { outcome: 'unknown', reason: NO_VALUE };
    const compared = await compareClaim(asked, server);
    if (compared.difference !== undefined) return { outcome: 'different', reason: compared.difference };
    values += compared.values;
  }
  const [before, after] = [substituteVariables(pair.before), substituteVariables(pair.after)];
  if (before === undefined || after === undefined) return { outcome: 'unknown', reason: NO_VALUE };
  const reason = await compareWhole(before, after, server);
  if (reason !== undefined) return { outcome: 'different', reason };
  if (values > 0) return { outcome: 'equal', values };
  return { outcome: 'unknown', reason: 'the server has no values of both forms in this time' };
}

/**
 * Compares both sides of a claim. Where a series begins, Prometheus extrapolates the rates of counters and of histograms to different
 * times, so that rates that differ are compared by the counts that they come from.
 *
 * @throws HdrscopeError `ERR_SCRAPE` when the server does not answer.
 */
export async function compareClaim(claim: Claim, server: ProvingServer): Promise<Comparison> {
  const compare = async (asked: Claim): Promise<Comparison> =>
    compareAnswers(asked, {
      classic: await askSeries(asked.classic, server),
      native: await askSeries(asked.native, server),
    });
  const compared = await compare(claim);
  if (compared.difference === undefined) return compared;
  const [classic, native] = [removeRates(claim.classic), removeRates(claim.native)];
  if (classic === undefined || native === undefined) return compared;
  const counted = await compare({ ...claim, classic, native });
  return counted.difference === undefined ? counted : compared;
}

/** A sentence about what differs in the results of two queries, besides their values. */
async function compareWhole(
  before: string,
  after: string,
  server: ProvingServer,
): Promise<string | undefined> {
  const classic = await askSeries(before, server);
  try {
    const native = await askSeries(after, server);
    // Which series pass a comparison depends on their values, which are those of finer buckets now.
    return COMPARISON.test(before.replace(/\{[^{}]*\}/g, '')) ? undefined : compareLabels(classic, native);
  } catch (error) {
    if (!(error instanceof HdrscopeError) || !/status 4(00|22)/.test(error.message)) throw error;
    return `the server does not take ${after}: ${error.message}`;
  }
}

const COMPARISON = /[<>]|[=!]=/;

function substituteClaim(claim: Claim): Claim | undefined {
  const [classic, native] = [substituteVariables(claim.classic), substituteVariables(claim.native)];
  return classic === undefined || native === undefined ? undefined : { ...claim, classic, native };
}

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 2 ** 28;
const MOST_ELEMENTS = 20_000_000;
const STEPS = 30;

/** @throws HdrscopeError `ERR_SCRAPE` when the server does not answer, or refuses the query. */
export async function askSeries(
  query: string,
  { url, sinceMs, untilMs, signal }: ProvingServer,
): Promise<AnsweredSeries[]> {
  const stepMs = Math.max(1000, Math.ceil((untilMs - sinceMs) / STEPS));
  const seconds = (ms: number): string => (ms / 1000).toFixed(3);
  const parameters = { query, start: seconds(sinceMs), end: seconds(untilMs), step: seconds(stepMs) };
  const data = asObject(await askServer(url, 'query_range', parameters, signal), 'the answer');
  return asArray(data.result, 'the result').map((one) => readSeries(asObject(one, 'a series')));
}

async function askServer(
  server: URL,
  path: string,
  parameters: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { bytes } = await requestAnswer({
    ...{ url: apiUrl(server, path), tls: {}, timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES, signal },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    ...(parameters !== undefined && { body: new TextEncoder().encode(`${new URLSearchParams(parameters)}`) }),
    failure: `${server.host} cannot be asked`,
  });
  const what = 'the answer of Prometheus';
  const budget = new Budget(what, { elements: MOST_ELEMENTS, depth: 20 });
  return asObject(parseJson(new TextDecoder().decode(bytes), what, budget), what).data;
}

// Source: https://prometheus.io/docs/prometheus/latest/querying/api/#range-vectors
function readSeries({
  metric,
  values = [],
  histograms = [],
}: Readonly<Record<string, unknown>>): AnsweredSeries {
  const labels = Object.entries(asObject(metric, 'the labels')).map(
    ([name, value]) => [name, asText(value, name)] as const,
  );
  return {
    labels: new Map(labels),
    numbers: new Map(asArray(values, 'the values').map((pair) => readPair(pair, readNumber))),
    histograms: new Map(asArray(histograms, 'the histograms').map((pair) => readPair(pair, readHistogram))),
  };
}

function readPair<T>(pair: unknown, read: (value: unknown) => T): readonly [timeSec: number, value: T] {
  const [time, value] = asArray(pair, 'a value with its time');
  return [Number(time), read(value)];
}

function readNumber(value: unknown): number {
  return Number(asText(value, 'a number').replace('Inf', 'Infinity'));
}

function readHistogram(
  value: unknown,
): AnsweredSeries['histograms'] extends ReadonlyMap<number, infer One> ? One : never {
  const { count, sum, buckets = [] } = asObject(value, 'a histogram');
  return {
    count: readNumber(count),
    sum: readNumber(sum),
    buckets: asArray(buckets, 'the buckets').map((bucket) => {
      const [, lower, upper, inBucket] = asArray(bucket, 'a bucket');
      return { lower: readNumber(lower), upper: readNumber(upper), count: readNumber(inBucket) };
    }),
  };
}

/** The types of the metrics that a server scrapes, by their names. */
export async function askTypes(
  url: URL,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string>> {
  const data = asObject(await askServer(url, 'metadata', undefined, signal), 'the metadata');
  return new Map(
    Object.entries(data).map(([name, entries]) => {
      const [first] = asArray(entries, 'the metadata');
      return [name, asText(asObject(first, 'the metadata').type, 'the type')];
    }),
  );
}
