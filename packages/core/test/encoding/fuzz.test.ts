import { runInThisContext } from 'node:vm';
import { Histogram } from '../../src/histogram/histogram.ts';
import { CaseMaker, type FuzzCase, KINDS } from '../support/fuzz-cases.ts';
import {
  assertConsistent,
  assertReadAgain,
  assertThat,
  describeInput,
  readOrRefused,
} from '../support/hostile.ts';

// HDRSCOPE_FUZZ_CASES=10000000 for a long run, HDRSCOPE_FUZZ_SEED for the one that failed.
const CASES = Number(process.env.HDRSCOPE_FUZZ_CASES ?? 100_000);
const SEED = Number(process.env.HDRSCOPE_FUZZ_SEED ?? 20_260_101);
const LONGEST_MS = 1000;

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

/** Decodes, and throws unless that is quick, and either refused or consistent. */
function decoded({ kind, input }: FuzzCase): Histogram | undefined {
  const began = performance.now();
  const histogram = readOrRefused(() =>
    kind === 'json'
      ? Histogram.fromJSON(input, { storage: 'sparse' })
      : Histogram.decode(input as Uint8Array | string, { storage: 'sparse' }),
  );
  const took = performance.now() - began;
  assertThat(took <= LONGEST_MS, `must not take ${took} ms`);
  if (histogram !== undefined) {
    assertConsistent(histogram);
    // Encoding all of them again would take most of the time: a quarter of them will do.
    if (histogram.totalCount % 4 === 0) assertReadAgain(histogram);
  }
  return histogram;
}

/** What went wrong, once more and with a stack. */
function causeOf(one: FuzzCase, first: unknown): unknown {
  restoreStacks();
  try {
    decoded(one);
    return first;
  } catch (error) {
    return error;
  }
}

test('whatever is decoded becomes a consistent histogram or is refused, soon and in bounded memory', () => {
  const maker = new CaseMaker(SEED);
  const seen = new Map<string, { decoded: number; refused: number }>();
  for (let i = 0; i < CASES; i++) {
    const one = maker.next(i);
    const { kind, input } = one;
    const tally = seen.get(kind) ?? { decoded: 0, refused: 0 };
    seen.set(kind, tally);
    try {
      if (decoded(one) === undefined) tally.refused++;
      else tally.decoded++;
    } catch (error) {
      const where = `case ${i} of seed ${SEED}, ${kind}`;
      const cause = causeOf(one, error);
      throw new Error(`${where}: ${(error as Error).message}: ${describeInput(input)}`, { cause });
    }
  }
  // Both ends are reached by every kind that can reach both, or the cases say nothing.
  for (const kind of KINDS) {
    const { decoded, refused } = seen.get(kind)!;
    expect([kind, refused > 0]).toEqual([kind, true]);
    if (kind !== 'bomb') expect([kind, decoded > 0]).toEqual([kind, true]);
  }
}, 3_600_000);
