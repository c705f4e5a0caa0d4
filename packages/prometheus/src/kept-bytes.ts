import type { FormatWriter, MetricBytes } from './format-writer.ts';
import type { FamilyFacts, LazyMetrics } from './lazy-family.ts';
import type { Steps } from './steps.ts';

/** The bytes of neighbouring metrics with the states that the metrics were made from. */
export interface Block extends MetricBytes {
  readonly states: readonly object[];
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
 * @param before The blocks of the same recipe in the exposition before. Metrics whose states are there are not made.
 */
export function* blocksOf(
  family: FamilyFacts,
  part: LazyMetrics,
  before: readonly Block[],
  writer: FormatWriter,
): Steps<Block[]> {
  const blocks: Block[] = [];
  for (let from = 0; from < part.states.length; from += METRICS_PER_BLOCK) {
    blocks.push(yield* blockOf(family, part, from, before[blocks.length], writer));
    yield;
  }
  return blocks;
}

function* blockOf(
  family: FamilyFacts,
  part: LazyMetrics,
  from: number,
  known: Block | undefined,
  writer: FormatWriter,
): Steps<Block> {
  const end = Math.min(from + METRICS_PER_BLOCK, part.states.length);
  if (known !== undefined && isUnchanged(known, part.states, from, end)) return known;
  const states = part.states.slice(from, end);
  for (const [i, state] of states.entries()) {
    if (state === known?.states[i]) continue;
    writer.add(family, part.metricOf(state));
    yield;
  }
  const added = writer.finish();
  const isNew = known === undefined || added.ends.length === states.length;
  return { states, ...(isNew ? added : combined(states, known, added)) };
}

function isUnchanged({ states }: Block, all: readonly object[], from: number, end: number): boolean {
  if (states.length !== end - from) return false;
  for (let i = 0; i < states.length; i++) if (states[i] !== all[from + i]) return false;
  return true;
}

/** The bytes of all states in order: from the known block if they are there, otherwise from the added ones. */
function combined(states: readonly object[], known: Block, added: MetricBytes): MetricBytes {
  const ends: number[] = [];
  const runs: { source: MetricBytes; start: number; end: number }[] = [];
  let length = 0;
  let next = 0;
  for (const [i, state] of states.entries()) {
    const isKnown = state === known.states[i];
    const source = isKnown ? known : added;
    const place = isKnown ? i : next++;
    const start = source.ends[place - 1] ?? 0;
    const end = source.ends[place]!;
    const run = runs.at(-1);
    if (run?.source === source && run.end === start) run.end = end;
    else runs.push({ source, start, end });
    length += end - start;
    ends.push(length);
  }
  return { bytes: joined(runs.map(({ source, start, end }) => source.bytes.subarray(start, end))), ends };
}

/** All bytes in one array. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The number of bytes of all pieces. */
export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}
