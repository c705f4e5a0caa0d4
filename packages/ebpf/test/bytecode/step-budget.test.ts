import { atOnce, type Steps } from '@hdrscope/kit';
import { costOf, slowdown } from '@hdrscope/testing/cost';
import fc from 'fast-check';
import { countingProgram } from '../../src/bpf/counting-program.ts';
import { describeCode } from '../../src/bytecode/describe-code.ts';
import { decodeInstructions } from '../../src/bytecode/instructions.ts';
import { matchLayout } from '../../src/bytecode/match-layout.ts';
import { NotMeasured } from '../../src/bytecode/not-measured.ts';
import { measureSlots } from '../../src/bytecode/slot-steps.ts';
import { StepBudget } from '../../src/bytecode/step-budget.ts';
import { explicitKernelLayout, parseKernelLayout } from '../../src/index.ts';
import { assemble, COUNT_R7, codeOf } from '../support/instructions.ts';
import { TARGET } from '../support/measured.ts';

const PLENTY = 1e9;

class CountedBudget extends StepBudget {
  taken = 0;

  override take(): boolean {
    this.taken++;
    return super.take();
  }
}

/** Follows a program, and notes how many turns that takes, and the steps of the longest. */
function follow(program: Uint8Array, stepsOfTurn: number) {
  const budget = new CountedBudget(PLENTY, undefined, stepsOfTurn);
  const turns = { count: 0, longest: 0 };
  function* noted<Result>(work: Steps<Result>): Steps<Result> {
    for (let before = 0; ; before = budget.taken) {
      const turn = work.next();
      turns.count++;
      turns.longest = Math.max(turns.longest, budget.taken - before);
      if (turn.done) return turn.value;
      yield;
    }
  }
  try {
    const found = atOnce(noted(measureSlots(codeOf(program), TARGET, budget)));
    return { ...turns, steps: budget.taken, found };
  } catch (error) {
    if (!(error instanceof NotMeasured)) throw error;
    return { ...turns, steps: budget.taken, found: error.message };
  }
}

const BOUNDS = fc
  .uniqueArray(fc.oneof(fc.nat(50), fc.maxSafeNat()), { minLength: 1, maxLength: 20 })
  .map((integers) => explicitKernelLayout([...integers].sort((a, b) => a - b)));
const NAMED = fc.constantFrom('libbpf-tools:27', 'bpftrace-hist:0:34', 'queue-depth').map(parseKernelLayout);
/** Hashes of two values, which are refused. */
const REFUSED = assemble([
  ['load64', 7, 1, 0],
  ['load64', 6, 1, 8],
  ['^=r', 7, 6],
  ['&=', 7, 7],
  ...COUNT_R7,
]);
const PROGRAM = fc.oneof(
  { weight: 9, arbitrary: fc.oneof(BOUNDS, NAMED).map((layout) => countingProgram({ mapFd: 7, layout })) },
  fc.constant(REFUSED),
);

test('what is measured does not depend on the turns, and no turn takes more steps than it may', () => {
  const property = fc.property(PROGRAM, fc.integer({ min: 2, max: 500 }), (program, stepsOfTurn) => {
    const whole = follow(program, PLENTY);
    for (const most of [1, stepsOfTurn]) {
      const { longest, found } = follow(program, most);
      expect(found).toEqual(whole.found);
      expect(longest).toBeLessThanOrEqual(most);
    }
  });
  fc.assert(property, { numRuns: 8 });
});

/** Compares another value with many bounds before the one that counts, so that it goes many ways. */
const HEAVY = assemble([
  ['load64', 6, 1, 0],
  ['load64', 9, 1, 8],
  ['load64', 8, 1, 16],
  ...Array.from({ length: 20 }, (_, i) => [['jump==', 9, i, 1] as const, ['+=', 8, i + 1] as const]).flat(),
  ['=', 7, 0],
  ['jump<=', 6, 9, 1],
  ['=', 7, 1],
  ...COUNT_R7,
]);

test('a program of more than a hundred thousand steps pauses all the time, and at each run that it copies', () => {
  const { steps, count, longest } = follow(HEAVY, 250);
  expect(steps).toBeGreaterThan(100_000);
  expect(longest).toBeLessThanOrEqual(250);
  // Runs are copied at comparisons, some steps apart.
  expect(steps / count).toBeLessThan(25);
});

// Equal steps; and a chain of comparisons, each of which is open before a value is measured.
const SLOTS = 4000;
const EQUAL_STEPS = assemble([
  ['load64', 7, 1, 0],
  ['/=', 7, 250],
  ['jump<=', 7, SLOTS - 1, 1],
  ['=', 7, SLOTS - 1],
  ...COUNT_R7,
]);
const CHAIN = countingProgram({
  mapFd: 7,
  layout: explicitKernelLayout(Array.from({ length: 2 * SLOTS }, (_, i) => 3 * i)),
});

function* measureLayout(program: Uint8Array): Steps<number | string> {
  const code = { ...codeOf(program), instructions: yield* decodeInstructions(program) };
  yield* describeCode(code, TARGET.isTarget);
  try {
    const measured = yield* measureSlots(code, TARGET);
    return (yield* matchLayout(measured!)).layout.slots.slotCount;
  } catch (error) {
    if (error instanceof NotMeasured) return error.message;
    throw error;
  }
}

test.each([
  ['4,000 slots', EQUAL_STEPS, SLOTS],
  ['8,000 comparisons', CHAIN, 'following it takes too many steps'],
])('no turn of a program with %s takes long, and all of them little memory', (_, program, expected) => {
  /** The least processor time of each turn in three rounds: collections of garbage, and the compiler, only add to it. */
  const leastMs: number[] = [];
  const { grownMib } = costOf(() => {
    for (let round = 0; round < 3; round++) {
      const work = measureLayout(program);
      for (let turn = 0; ; turn++) {
        const before = process.cpuUsage();
        const { done, value } = work.next();
        const { user, system } = process.cpuUsage(before);
        leastMs[turn] = Math.min(leastMs[turn] ?? Number.POSITIVE_INFINITY, (user + system) / 1000);
        if (!done) continue;
        expect(value).toBe(expected);
        break;
      }
    }
  });
  const longest = leastMs.reduce((one, other) => Math.max(one, other));
  expect(longest).toBeLessThan(10 * slowdown());
  expect(grownMib).toBeLessThan(600);
});

test('a budget that is a part of another one leaves the turns to that', () => {
  const whole = new StepBudget(5, undefined, 2);
  const part = new StepBudget(4, whole, 1);
  const takeAll = (budget: StepBudget, count: number) => Array.from({ length: count }, () => budget.take());
  expect(takeAll(part, 4)).toEqual([false, true, false, true]);
  expect(() => part.take()).toThrow('too many steps');
  expect(() => whole.take()).toThrow('too many steps');
});
