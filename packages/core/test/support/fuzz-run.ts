import { runInThisContext } from 'node:vm';
import { assertThat, describeInput } from './hostile.ts';

/** The input of a decoder, and the way it was made. */
export interface HostileCase {
  readonly kind: string;
  readonly input: unknown;
}

export interface FuzzRun<Case extends HostileCase> {
  /** The number of cases, unless HDRSCOPE_FUZZ_CASES is set: 10000000 makes a long run. */
  readonly cases: number;
  /** Makes the cases of a seed. HDRSCOPE_FUZZ_SEED repeats the run that failed with it. */
  readonly casesOf: (seed: number) => (index: number) => Case;
  /** Whether a case was decoded. Throws when the result is inconsistent, or the refusal is not an error that users expect. */
  readonly isDecoded: (one: Case) => boolean;
  /** Some cases of each kind must be refused and some decoded, or the kind proves nothing. */
  readonly kinds: readonly string[];
  /** The kinds of which no case needs to be decoded. */
  readonly hopeless: readonly string[];
}

const SEED = Number(process.env.HDRSCOPE_FUZZ_SEED ?? 20_260_101);
const LONGEST_MS = 1000;

// Refusals are errors, and their stacks would take longer than all else. zlib throws errors of another realm.
const realms = [Error, runInThisContext('Error') as ErrorConstructor];

/** Runs all cases. Each must end soon. A case that fails is repeated for its stack. */
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

/** Repeats a failure to get its stack. */
function causeOf(again: () => unknown, first: unknown): unknown {
  try {
    again();
    return first;
  } catch (error) {
    return error;
  }
}
