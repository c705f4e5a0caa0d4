import { runInThisContext } from 'node:vm';
import { HdrscopeError } from '../../src/errors.ts';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { toHex } from '../support/bytes.ts';
import { DOUBLE_KINDS, DoubleCaseMaker, type DoubleFuzzCase } from '../support/double-fuzz-cases.ts';
import { assertThat, describeInput } from '../support/hostile.ts';

// HDRSCOPE_FUZZ_CASES=10000000 for a long run, HDRSCOPE_FUZZ_SEED for the one that failed.
const CASES = Number(process.env.HDRSCOPE_FUZZ_CASES ?? 20_000);
const SEED = Number(process.env.HDRSCOPE_FUZZ_SEED ?? 20_260_101);
const LONGEST_MS = 1000;
// 5 digits, as far as the integers reach.
const MOST_SLOTS = 48 * 2 ** 17;

// What is refused is thrown, and its stack would take longer than all else. zlib throws errors of another realm.
const realms = [Error, runInThisContext('Error') as ErrorConstructor];
const limits = realms.map(({ stackTraceLimit }) => stackTraceLimit);

beforeAll(() => {
  for (const realm of realms) realm.stackTraceLimit = 0;
});
afterAll(restoreStacks);

function restoreStacks(): void {
  realms.forEach((realm, i) => {
    realm.stackTraceLimit = limits[i]!;
  });
}

/** What is decoded, or nothing where it is refused as no encoding must be. Any other error is a failure. */
function decodedOrRefused(input: Uint8Array | string): DoubleHistogram | undefined {
  try {
    return DoubleHistogram.decode(input, { storage: 'sparse' });
  } catch (error) {
    if (error instanceof HdrscopeError && error.code === 'ERR_DECODE') return undefined;
    throw error;
  }
}

/** Throws unless counts, total, bounds and memory agree. */
function assertConsistent({ counts, layout, totalCount }: DoubleHistogram): void {
  let [sum, used, last] = [0, 0, -1];
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    sum += counts.at(slot);
    used++;
    last = slot;
  }
  assertThat(sum === totalCount && last === counts.last, 'its counts must sum to its total');
  assertThat(counts.length === layout.slotCount && counts.length <= MOST_SLOTS, 'its slots must be bounded');
  const most = 32 * counts.length + 1024 * used + 4096;
  assertThat(counts.byteLength <= most, 'its memory must be bounded');
}

/** Throws unless it is encoded to what is read as the same, which then goes on recording or refuses to. */
function assertOfUse(histogram: DoubleHistogram, other: number): void {
  const encoding = histogram.encode();
  const again = DoubleHistogram.decode(encoding, { storage: 'sparse' });
  assertThat(again.equals(histogram), 'what is encoded must be read as it was');
  assertThat(toHex(again.encode()) === toHex(encoding), 'what was read must be encoded as it was');
  for (const value of [0, again.valueAtPercentile(50), other]) {
    const before = again.totalCount;
    try {
      again.record(value);
      assertThat(again.totalCount === before + 1, 'what is recorded must be counted');
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      assertThat(again.totalCount === before, 'what is refused must not be counted');
    }
  }
  assertConsistent(again);
}

/** Decodes, and throws unless that is quick, and either refused or consistent. */
function decoded({ input }: DoubleFuzzCase): DoubleHistogram | undefined {
  const began = performance.now();
  const histogram = decodedOrRefused(input);
  const took = performance.now() - began;
  assertThat(took <= LONGEST_MS, `must not take ${took} ms`);
  if (histogram === undefined) return undefined;
  assertConsistent(histogram);
  assertOfUse(histogram, 2 ** ((histogram.totalCount % 200) - 100));
  return histogram;
}

/** What went wrong, once more and with a stack. */
function causeOf(one: DoubleFuzzCase, first: unknown): unknown {
  restoreStacks();
  try {
    decoded(one);
    return first;
  } catch (error) {
    return error;
  }
}

test('whatever is decoded becomes a consistent histogram of doubles or is refused, soon and in bounded memory', () => {
  const maker = new DoubleCaseMaker(SEED);
  const seen = new Map(DOUBLE_KINDS.map((kind) => [kind, { decoded: 0, refused: 0 }]));
  for (let i = 0; i < CASES; i++) {
    const one = maker.next();
    try {
      const tally = seen.get(one.kind)!;
      if (decoded(one) === undefined) tally.refused++;
      else tally.decoded++;
    } catch (error) {
      const where = `case ${i} of seed ${SEED}, ${one.kind}`;
      const cause = causeOf(one, error);
      throw new Error(`${where}: ${(error as Error).message}: ${describeInput(one.input)}`, { cause });
    }
  }
  // Both ends are reached by every kind that can reach both, or the cases say nothing.
  for (const [kind, { decoded, refused }] of seen) {
    expect([kind, refused > 0]).toEqual([kind, true]);
    if (kind !== 'integers') expect([kind, decoded > 0]).toEqual([kind, true]);
  }
}, 3_600_000);
