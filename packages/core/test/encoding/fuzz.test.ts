import { HdrscopeError } from '../../src/errors.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { CaseMaker, type FuzzCase, KINDS } from '../support/fuzz-cases.ts';

// HDRSCOPE_FUZZ_CASES=10000000 for a long run, HDRSCOPE_FUZZ_SEED for the one that failed.
const CASES = Number(process.env.HDRSCOPE_FUZZ_CASES ?? 100_000);
const SEED = Number(process.env.HDRSCOPE_FUZZ_SEED ?? 20_260_101);
const LONGEST_MS = 1000;
// 5 digits up to 2^63 - 1.
const MOST_SLOTS = 48 * 2 ** 17;

/** What remains of a case: a histogram, or nothing where it was refused as it must be. */
function outcomeOf({ kind, input }: FuzzCase): Histogram | undefined {
  try {
    return kind === 'json'
      ? Histogram.fromJSON(input, { storage: 'sparse' })
      : Histogram.decode(input as Uint8Array | string, { storage: 'sparse' });
  } catch (error) {
    if (error instanceof HdrscopeError && error.code === 'ERR_DECODE') return undefined;
    throw error;
  }
}

/** Throws unless counts, total and bounds agree, and what is encoded again is read as the same. */
function assertConsistent(histogram: Histogram): void {
  const { counts, layout, totalCount } = histogram;
  let sum = 0;
  let used = 0;
  let last = -1;
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    sum += counts.at(slot);
    used++;
    last = slot;
  }
  assertThat(sum === totalCount && last === counts.last, 'its counts must sum to its total');
  assertThat(counts.length === layout.slotCount && counts.length <= MOST_SLOTS, 'its slots must be bounded');
  const most = 32 * counts.length + 1024 * used + 4096;
  assertThat(counts.byteLength <= most, 'its memory must be bounded');
  // Encoding all of them again would take most of the time: a quarter of them will do.
  if (totalCount % 4 !== 0) return;
  const encoding = histogram.encode();
  assertThat(encoding.buffer.byteLength === encoding.length, 'an encoding must have a buffer of its own');
  assertThat(encoding.length <= 41 + 18 * used, 'an encoding must take no more than its used slots do');
  const again = Histogram.decode(encoding, { storage: 'sparse' });
  assertThat(again.equals(histogram), 'what is encoded must be read as it was');
  if (used < 1000) {
    const json = Histogram.fromJSON(histogram.toJSON(), { storage: 'sparse' });
    assertThat(json.equals(histogram), 'what is made JSON must be read as it was');
  }
}

function assertThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

function describeInput(input: unknown): string {
  const text = input instanceof Uint8Array ? Buffer.from(input).toString('hex') : JSON.stringify(input);
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}

test('whatever is decoded becomes a consistent histogram or is refused, soon and in bounded memory', () => {
  const maker = new CaseMaker(SEED);
  const seen = new Map<string, { decoded: number; refused: number }>();
  for (let i = 0; i < CASES; i++) {
    const one = maker.next(i);
    const { kind, input } = one;
    const tally = seen.get(kind) ?? { decoded: 0, refused: 0 };
    seen.set(kind, tally);
    const began = performance.now();
    try {
      const histogram = outcomeOf(one);
      const took = performance.now() - began;
      assertThat(took <= LONGEST_MS, `must not take ${took} ms`);
      if (histogram === undefined) tally.refused++;
      else {
        tally.decoded++;
        assertConsistent(histogram);
      }
    } catch (cause) {
      const where = `case ${i} of seed ${SEED}, ${kind}`;
      throw new Error(`${where}: ${(cause as Error).message}: ${describeInput(input)}`, { cause });
    }
  }
  // Both ends are reached by every kind that can reach both, or the cases say nothing.
  for (const kind of KINDS) {
    const { decoded, refused } = seen.get(kind)!;
    expect([kind, refused > 0]).toEqual([kind, true]);
    if (kind !== 'bomb') expect([kind, decoded > 0]).toEqual([kind, true]);
  }
}, 3_600_000);
