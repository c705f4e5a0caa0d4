import { HdrscopeError } from '@hdrscope/core';
import {
  askSeries,
  compareClaim,
  type Proof,
  type ProvingServer,
  proveRewriting,
  type QueryPair,
} from '../ask-claims.ts';
import { type AnsweredSeries, compareLabels } from '../compare-answers.ts';
import { renameRecord } from '../migrate-queries.ts';
import { QueryRefusal } from '../query-verdict.ts';
import { addCase, bindVariables } from './bind-query.ts';
import { compareResults } from './compare-results.ts';
import { type NativeForm, SAMPLES, STEP_MS } from './draw-series.ts';
import { listMetrics } from './list-metrics.ts';
import { listParts } from './pair-parts.ts';
import { planLabels } from './plan-labels.ts';
import { type QueryReading, readSeries } from './read-series.ts';
import { type Case, type GeneratedServer, LEAST_OFFSET_MS, writeCase } from './write-case.ts';

/** A question with series of its own. */
export interface GeneratedQuestion extends QueryPair {
  /** A name that no other question of the server has. */
  readonly name: string;
  /** Whether the labels of the answer are asked for, and not its values. */
  readonly isOfLabels: boolean;
  /** The recorded histograms that it reads, by their names before. */
  readonly records: readonly string[];
}

/** The bounds of Prometheus' own libraries. */
const DEFAULT_BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Proves a rewriting on series that are made up for it: first with native histograms that have the bounds of the classic buckets, where all
 * answers must be equal, and then with exponential buckets, where they must agree as {@link proveRewriting} says. A query without an answer is
 * not proven.
 *
 * @throws HdrscopeError `ERR_SCRAPE` when the server does not answer; `ERR_REMOTE_WRITE` when it does not take series.
 */
export async function proveOnGenerated(question: GeneratedQuestion, server: GeneratedServer): Promise<Proof> {
  try {
    return await proveBound(question, server);
  } catch (error) {
    if (!(error instanceof QueryRefusal)) throw error;
    return { outcome: 'unknown', reason: `with values in place of its variables, ${error.message}` };
  }
}

async function proveBound(question: GeneratedQuestion, server: GeneratedServer): Promise<Proof> {
  const bound = bindQuestion(question);
  if (bound === undefined)
    return { outcome: 'unknown', reason: 'a variable stands for a part that has no value here' };
  const [before, after] = [readSeries(bound.before), readSeries(bound.after)];
  const bounds = chooseBounds(before);
  const metrics = listMetrics(before, after);
  if (metrics.histograms.length === 0 || question.records.some((name) => renameRecord(name) === name)) {
    return { outcome: 'unknown', reason: 'its histograms have one name in both forms' };
  }
  let proof = refuseEmpty(before.selectors.map(writeSelector));
  // Where several series of a selector cannot be joined, one can.
  for (const isSimple of [false, true]) {
    const rows = planLabels(before, { isSimple });
    if (rows.length === 0) break;
    const draw = (form: NativeForm): Case => ({
      name: `${question.name}-${isSimple ? 'simple' : 'varied'}-${form}`,
      form,
      rows,
      bounds,
      metrics,
      offsetsMs: before.offsetsMs,
    });
    proof = question.isOfLabels
      ? await proveLabels(bound, before, draw('exponential'), server)
      : await proveCases(bound, before, [draw('custom'), draw('exponential')], server);
    if (proof.outcome !== 'unknown') return proof;
  }
  return proof;
}

/** Whether a query needs series before those of others, which a server must take out of order. */
export function readsFarBack(query: string): boolean {
  try {
    const bound = bindVariables(query);
    return bound !== undefined && readSeries(bound).offsetsMs.some((offsetMs) => offsetMs > LEAST_OFFSET_MS);
  } catch (error) {
    if (!(error instanceof QueryRefusal)) throw error;
    return false;
  }
}

/** `undefined` where a variable has no value. */
function bindQuestion({ before, after, claims }: QueryPair): QueryPair | undefined {
  const [first, second] = [bindVariables(before), bindVariables(after)];
  const bound = claims.map((claim) => {
    const [classic, native] = [bindVariables(claim.classic), bindVariables(claim.native)];
    return classic === undefined || native === undefined ? undefined : { ...claim, classic, native };
  });
  const isBound = first !== undefined && second !== undefined && bound.every((claim) => claim !== undefined);
  return isBound ? { before: first, after: second, claims: bound as QueryPair['claims'] } : undefined;
}

function chooseBounds({ bounds, thresholds }: QueryReading): number[] {
  const most = DEFAULT_BOUNDS.at(-1)!;
  const wide = thresholds.filter((threshold) => threshold > most).flatMap((one) => [one / 2, one, one * 2]);
  return [...new Set([...DEFAULT_BOUNDS, ...bounds.filter((bound) => bound > 0), ...wide])].sort(
    (a, b) => a - b,
  );
}

async function proveCases(
  bound: QueryPair,
  reading: QueryReading,
  [custom, exponential]: readonly [Case, Case],
  server: GeneratedServer,
): Promise<Proof> {
  const proving = readProving(server);
  await writeCase(custom, server);
  const compared = await compareWhole(bound, custom.name, proving);
  if (compared.outcome === 'different') return compared;
  if (compared.outcome === 'unknown')
    return compared.reason === '' ? describeEmpty(custom.name, reading, proving) : compared;
  await writeCase(exponential, server);
  const claimed = await compareClaims(nameCase(bound, exponential.name), proving);
  return claimed.outcome === 'equal' ? compared : claimed;
}

/** Compares the parts of a query that became native histograms, each of which must have values, and the labels of the whole. */
async function compareClaims({ before, after, claims }: QueryPair, server: ProvingServer): Promise<Proof> {
  let values = 0;
  for (const claim of claims) {
    const compared = await compareClaim(claim, server);
    if (compared.difference !== undefined) return { outcome: 'different', reason: compared.difference };
    if (compared.values === 0)
      return { outcome: 'unknown', reason: `no answer on generated data: ${claim.classic} has no values` };
    values += compared.values;
  }
  const whole = await proveRewriting({ before, after, claims: [] }, server);
  return whole.outcome === 'different' ? whole : { outcome: 'equal', values };
}

/** Asks for the labels of a selector before and after. */
async function proveLabels(
  { before, after }: QueryPair,
  reading: QueryReading,
  one: Case,
  server: GeneratedServer,
): Promise<Proof> {
  const proving = readProving(server);
  await writeCase(one, server);
  const [classic, native] = [
    await askOr(addCase(before, one.name), proving),
    await askOr(addCase(after, one.name), proving),
  ];
  if (typeof classic === 'string') return refuseQuery(classic);
  if (typeof native === 'string')
    return { outcome: 'different', reason: `Prometheus refuses ${after}: ${native}` };
  if (classic.length === 0) return describeEmpty(one.name, reading, proving);
  const reason = compareLabels(classic, native);
  return reason === undefined
    ? { outcome: 'equal', values: classic.length }
    : { outcome: 'different', reason };
}

/** The time of all samples but the first ones, since the first ranges are not whole. */
function readProving(server: GeneratedServer): ProvingServer {
  return { ...server, sinceMs: server.untilMs - (SAMPLES - 10) * STEP_MS };
}

function refuseQuery(reason: string): Proof {
  return { outcome: 'unknown', reason: `Prometheus refuses the query on generated data: ${reason}` };
}

function nameCase({ before, after, claims }: QueryPair, name: string): QueryPair {
  return {
    before: addCase(before, name),
    after: addCase(after, name),
    claims: claims.map((claim) => ({
      ...claim,
      classic: addCase(claim.classic, name),
      native: addCase(claim.native, name),
    })),
  };
}

/** Compares all values, also those that comparisons and sets leave out. `unknown` without a reason where there are none. */
async function compareWhole(
  { before, after }: QueryPair,
  name: string,
  server: ProvingServer,
): Promise<Proof> {
  let values = 0;
  for (const forms of listParts(before, after)) {
    let ofPart = 0;
    for (const [classic, native] of forms) {
      const [answers, natives] = await Promise.all([
        askOr(addCase(classic, name), server),
        askOr(addCase(native, name), server),
      ]);
      if (typeof answers === 'string') return refuseQuery(answers);
      if (typeof natives === 'string')
        return { outcome: 'different', reason: `Prometheus refuses ${native}: ${natives}` };
      const compared = compareResults(answers, natives);
      if (compared.difference !== undefined)
        return { outcome: 'different', reason: `on generated data, ${compared.difference}` };
      ofPart += compared.values;
    }
    // A part without values says nothing about the query, also where another part has some.
    if (ofPart === 0) return { outcome: 'unknown', reason: '' };
    values += ofPart;
  }
  return { outcome: 'equal', values };
}

/** The answer, or why the server refuses the query. */
async function askOr(query: string, server: ProvingServer): Promise<AnsweredSeries[] | string> {
  try {
    return await askSeries(query, server);
  } catch (error) {
    if (!(error instanceof HdrscopeError) || !/status 4(00|22)/.test(error.message)) throw error;
    return error.message;
  }
}

/** Why a query has no answer: its selectors that choose nothing. */
async function describeEmpty(
  name: string,
  { selectors }: QueryReading,
  server: ProvingServer,
): Promise<Proof> {
  const empty: string[] = [];
  for (const text of new Set(selectors.map(writeSelector))) {
    const found = await askOr(addCase(text, name), server);
    if (typeof found === 'string' || found.length === 0) empty.push(text);
  }
  return refuseEmpty(empty);
}

function refuseEmpty(empty: readonly string[]): Proof {
  const reason =
    empty.length === 0
      ? 'all of its selectors choose series, which give no value together'
      : `${empty.join(' and ')} ${empty.length === 1 ? 'chooses' : 'choose'} no series`;
  return { outcome: 'unknown', reason: `no answer on generated data: ${reason}` };
}

function writeSelector({ name, matchers }: QueryReading['selectors'][number]): string {
  const texts = matchers.map(({ label, operator, value }) => `${label}${operator}${JSON.stringify(value)}`);
  return texts.length === 0 ? name : `${name}{${texts.join(', ')}}`;
}
