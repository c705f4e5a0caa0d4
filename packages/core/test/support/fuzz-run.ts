import { runInThisContext } from 'node:vm';
import { assertThat, describeInput } from './hostile.ts';

/** What a decoder is given, and what was done to it. */
export interface HostileCase {
  readonly kind: string;
  readonly input: unknown;
}

export interface FuzzRun<Case extends HostileCase> {
  /** How many, unless HDRSCOPE_FUZZ_CASES says so: 10000000 for a long run. */
  readonly cases: number;
  /** The cases of a seed, which HDRSCOPE_FUZZ_SEED may give: that of a run that failed. */
  readonly casesOf: (seed: number) => (index: number) => Case;
  /** Whether it was decoded; throws unless what was decoded is consistent, and what was not is refused in good order. */
  readonly isDecoded: (one: Case) => boolean;
  /** Of every kind some must be refused and some decoded, or the cases say nothing. */
  readonly kinds: readonly string[];
  /** Of which of them none need be decoded. */
  readonly hopeless: readonly string[];
}

const SEED = Number(process.env.HDRSCOPE_FUZZ_SEED ?? 20_260_101);
const LONGEST_MS = 1000;

// What is refused is thrown, and its stack would take longer than all else. zlib throws errors of another realm.
const realms = [Error, runInThisContext('Error') as ErrorConstructor];

/** Runs all cases. Each must end soon; one that fails is repeated, to have its stack. */
export function fuzz<Case extends HostileCase>(run: FuzzRun<Case>): void {
  const limits = realms.map(({ stackTraceLimit }) => stackTraceLimit);
  const restoreStacks = (): void =>
    realms.forEach((realm, i) => {
      realm.stackTraceLimit = limits[i]!;
    });
  for (const realm of realms) realm.stackTraceLimit = 0;
  try {
    const tallies = tallyAll(run, restoreStacks);
    for (const kind of run.kinds) {
      const { decoded, refused } = tallies.get(kind)!;
      expect([kind, refused > 0]).toEqual([kind, true]);
      if (!run.hopeless.includes(kind)) expect([kind, decoded > 0]).toEqual([kind, true]);
    }
  } finally {
    restoreStacks();
  }
}

interface Tally {
  decoded: number;
  refused: number;
}

function tallyAll<Case extends HostileCase>(
  { cases, casesOf, isDecoded }: FuzzRun<Case>,
  restoreStacks: () => void,
): Map<string, Tally> {
  const next = casesOf(SEED);
  const tallies = new Map<string, Tally>();
  const wanted = Number(process.env.HDRSCOPE_FUZZ_CASES ?? cases);
  for (let i = 0; i < wanted; i++) {
    const one = next(i);
    const tally = tallies.get(one.kind) ?? { decoded: 0, refused: 0 };
    tallies.set(one.kind, tally);
    try {
      const began = process.cpuUsage();
      if (isDecoded(one)) tally.decoded++;
      else tally.refused++;
      // Processor time, which does not grow when the machine is busy with other processes.
      const { user, system } = process.cpuUsage(began);
      const took = (user + system) / 1000;
      assertThat(took <= LONGEST_MS, `must not take ${took} ms`);
    } catch (error) {
      restoreStacks();
      const where = `case ${i} of seed ${SEED}, ${one.kind}`;
      const cause = causeOf(() => isDecoded(one), error);
      throw new Error(`${where}: ${(error as Error).message}: ${describeInput(one.input)}`, { cause });
    }
  }
  return tallies;
}

/** What went wrong, once more and with a stack. */
function causeOf(again: () => unknown, first: unknown): unknown {
  try {
    again();
    return first;
  } catch (error) {
    return error;
  }
}
