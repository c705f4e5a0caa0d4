import { joinBytes, type Steps } from '@hdrscope/kit';
import type { FormatWriter, MetricBytes, WrittenMetric } from './format-writer.ts';
import type { EarlierMetric, FamilyFacts, LazyMetrics } from './lazy-family.ts';

/** The bytes of neighbouring metrics with the states that the metrics were made from. */
export interface Block extends MetricBytes {
  readonly states: readonly object[];
  /** The version of each state: see `LazyMetrics.versionOf`. */
  readonly versions: readonly number[];
}

/** The blocks of all parts by their recipe, from one exposition to the next: one copy of the exposition. */
export interface KeptBytes {
  blocks: ReadonlyMap<string, readonly Block[]>;
}

// Enough for a block to cost little beside its bytes. A metric that changes costs a copy of its block.
const METRICS_PER_BLOCK = 64;

/**
 * The bytes of metrics, block by block.
 *
 * @param before The blocks of the same recipe in the exposition before. Metrics whose states are there are not made. A series
 *   that has ended leaves a gap in its block, and new series follow at the end.
 */
export function* blocksOf(
  family: FamilyFacts,
  part: LazyMetrics,
  before: readonly Block[],
  writer: FormatWriter,
): Steps<Block[]> {
  const blocks: Block[] = [];
  const { length } = part.states;
  let from = 0;
  for (let i = 0; from < length; i++) {
    const known = before[i];
    const full = Math.min(from + METRICS_PER_BLOCK, length);
    const end = known !== undefined && i < before.length - 1 ? endOfKnown(part, from, known) : full;
    if (end > from) blocks.push(yield* blockOf(family, part, from, end, known, writer));
    from = end;
    yield;
  }
  return blocks;
}

/** Where the series of a known block end that are still there. */
function endOfKnown({ states, identityOf }: LazyMetrics, from: number, known: Block): number {
  let end = from;
  for (const state of known.states) {
    if (end < states.length && identityOf(states[end]!) === identityOf(state)) end++;
  }
  return end;
}

function* blockOf(
  family: FamilyFacts,
  part: LazyMetrics,
  from: number,
  end: number,
  known: Block | undefined,
  writer: FormatWriter,
): Steps<Block> {
  if (known !== undefined && isUnchanged(known, part, from, end)) return known;
  const states = part.states.slice(from, end);
  const places = placesIn(known, part, states);
  const versions: number[] = [];
  // A series that changes while others are made is made at the next time.
  const isKept = states.map((state, i) => known !== undefined && isIn(known, places[i], state, part));
  for (const [i, state] of states.entries()) {
    const place = places[i];
    if (isKept[i]) {
      versions.push(known!.versions[place!]!);
      continue;
    }
    versions.push(versionOf(state, part));
    if (known === undefined || place === undefined)
      writer.add(family, part.metricOf(state, undefined, writer.hasNative));
    else {
      const written = { bytes: known.bytes, at: known.ends[place - 1] ?? 0 };
      const earlier = earlierIn(known, place, written, writer);
      writer.add(family, part.metricOf(state, earlier, writer.hasNative), written);
    }
    yield;
  }
  const added = writer.finish();
  if (known === undefined || added.ends.length === states.length) return { states, versions, ...added };
  return {
    states,
    versions,
    ...combined(
      places.map((place, i) => (isKept[i] ? place : undefined)),
      known,
      added,
    ),
  };
}

function versionOf(state: object, part: LazyMetrics): number {
  return part.versionOf?.(state) ?? 0;
}

function isUnchanged(known: Block, part: LazyMetrics, from: number, end: number): boolean {
  const { length } = known.states;
  if (length !== end - from) return false;
  for (let i = 0; i < length; i++) if (!isIn(known, i, part.states[from + i]!, part)) return false;
  return true;
}

/** Whether a block has the metric of a state, as it is now, at a place. */
function isIn(
  { states, versions }: Block,
  place: number | undefined,
  state: object,
  part: LazyMetrics,
): boolean {
  return place !== undefined && states[place] === state && versions[place] === versionOf(state, part);
}

/** The place of the series of each state in a known block; `undefined` for a series that is not there. */
function placesIn(
  known: Block | undefined,
  { identityOf }: LazyMetrics,
  states: readonly object[],
): (number | undefined)[] {
  const others = known?.states ?? [];
  let place = 0;
  return states.map((state) => {
    let same = place;
    while (same < others.length && identityOf(others[same]!) !== identityOf(state)) same++;
    // The others keep their places.
    if (same === others.length) return undefined;
    place = same + 1;
    return same;
  });
}

function earlierIn(
  { states, versions }: Block,
  place: number,
  written: WrittenMetric,
  writer: FormatWriter,
): EarlierMetric {
  return {
    state: states[place]!,
    version: versions[place]!,
    hasLabels: writer.keepsLabels ?? false,
    readBuckets: () => writer.readBuckets?.(written),
  };
}

/** The bytes of all metrics in order: from the known block if they have a place there, otherwise from the added ones. */
function combined(places: readonly (number | undefined)[], known: Block, added: MetricBytes): MetricBytes {
  const ends: number[] = [];
  const runs: { source: MetricBytes; start: number; end: number }[] = [];
  let length = 0;
  let next = 0;
  for (const inKnown of places) {
    const source = inKnown === undefined ? added : known;
    const place = inKnown ?? next++;
    const start = source.ends[place - 1] ?? 0;
    const end = source.ends[place]!;
    const run = runs.at(-1);
    if (run?.source === source && run.end === start) run.end = end;
    else runs.push({ source, start, end });
    length += end - start;
    ends.push(length);
  }
  return { bytes: joinBytes(runs.map(({ source, start, end }) => source.bytes.subarray(start, end))), ends };
}
