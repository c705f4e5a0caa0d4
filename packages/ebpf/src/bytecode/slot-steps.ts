import type { Steps } from '@hdrscope/kit';
import { listCandidates } from './candidates.ts';
import { nameOfComparison } from './conditions.ts';
import { findSlots, type SlotPlace, type Step } from './find-slots.ts';
import { findLeading } from './leading.ts';
import { follow } from './machine.ts';
import { NotMeasured } from './not-measured.ts';
import { assertSomeSlots, type Evaluate, partition } from './partition.ts';
import {
  type Common,
  findPlaces,
  isOfInputs,
  isOne,
  OTHER_THAN_ONE,
  OtherSite,
  readOffset,
  type Target,
} from './places.ts';
import { type Addition, copyRun, firstRun, type ProgramCode, type Run } from './run.ts';
import { StepBudget } from './step-budget.ts';
import { HALF, inputsOf, isConstant, type Term, Terms } from './terms.ts';

/** Which values a program counts in which slots. */
export interface SlotSteps {
  readonly steps: readonly Step[];
  readonly place: SlotPlace;
  /** Integers by which the program divides the value. */
  readonly divisors: readonly bigint[];
  /** Whether the program keeps only the lowest 32 bits of the value. */
  readonly isCut: boolean;
  /** Where the program sums up the values; `undefined` when it was not seen. */
  readonly sum: SlotSum | undefined;
}

/** Where a program sums up the values, in terms of its `place`. */
export type SlotSum = ({ readonly slot: bigint } | { readonly offset: number; readonly size: number }) & {
  /** What it divides a value by before it adds it; 1 when it adds the value itself. */
  readonly unit: bigint;
};

/** Instructions that all runs of a program together may take. A second is enough for about two million. */
const MOST_STEPS = 6_000_000;

/** Those of one term that may be the measured value. */
const MOST_STEPS_OF_VALUE = 2_500_000;

const MOST_FIRST_STEPS = 300_000;

const MOST_FIRST_RUNS = 64;

/** Values that a program measures and counts in the same map, one apart from the other. */
const MOST_VALUES = 4;

const MOST_STARTS = 64;

/**
 * Measures which values a program counts in which slots of a map, by following its instructions with the measured value in one range
 * after the other. Every step is proven: the program counts all its values in the slot, whatever its other inputs are.
 *
 * @param whole A budget for several programs. The default has no limit besides that of one program.
 * @returns `undefined` when the program adds nothing to the map.
 * @throws NotMeasured when that cannot be shown.
 */
export function* measureSlots(
  code: ProgramCode,
  target: Target,
  whole?: StepBudget,
): Steps<SlotSteps | undefined> {
  const budget = new StepBudget(MOST_STEPS, whole);
  const { isTarget } = target;
  const common: Common = {
    ...{ code, terms: new Terms(), budget, loads: new Map() },
    target: { isTarget, leading: yield* findLeading(code, isTarget) },
  };
  let open = yield* firstRuns(common);
  // A program that only stores integers may keep anything in the map.
  const isCounting = open.some((run) =>
    run.additions.some((addition) => !addition.isFirst && !isElsewhere(addition, target)),
  );
  if (!isCounting) return undefined;
  const sums = otherSites(open, target);
  if (open.every(({ additions }) => additions.every(({ at }) => sums.has(at)))) {
    throw new NotMeasured(OTHER_THAN_ONE);
  }
  const values: Term[] = [];
  let found: SlotSteps | undefined;
  while (open.length > 0) {
    if (values.length === MOST_VALUES) throw new NotMeasured('it counts too many different values');
    const next = yield* measureOne(common, target, open, values);
    if (found !== undefined && !isSame(found, next.steps)) {
      throw new NotMeasured('it counts different values in different ways');
    }
    found ??= next.steps;
    values.push(next.value);
    open = next.open;
  }
  return found;
}

/** Some runs that add to the map. */
function* firstRuns(common: Common): Steps<readonly Run[]> {
  const budget = new StepBudget(MOST_FIRST_STEPS, common.budget);
  const runs: Run[] = [];
  try {
    yield* follow(firstRun(common.terms), {
      ...common,
      budget,
      onEnd(run) {
        if (run.additions.length > 0) runs.push(run);
        return runs.length >= MOST_FIRST_RUNS;
      },
    });
  } catch (error) {
    if (!(error instanceof NotMeasured) || runs.length === 0) throw error;
  }
  return runs;
}

interface MeasuredValue {
  readonly value: Term;
  readonly steps: SlotSteps;
  /** Runs that add to the map without the values that are known so far. */
  readonly open: readonly Run[];
}

function* measureOne(
  common: Common,
  target: Target,
  runs: readonly Run[],
  values: readonly Term[],
): Steps<MeasuredValue> {
  let reason: NotMeasured | undefined;
  const candidates = yield* listCandidates(runs, target);
  for (const value of candidates) {
    try {
      const budget = new StepBudget(MOST_STEPS_OF_VALUE, common.budget);
      return yield* measureValue({ ...common, budget }, target, runs, values, value);
    } catch (error) {
      if (!(error instanceof NotMeasured)) throw error;
      reason ??= error;
    } finally {
      common.terms.endMeasuring();
    }
  }
  throw reason ?? new NotMeasured('its slot does not depend on one measured value');
}

function* measureValue(
  common: Common,
  target: Target,
  runs: readonly Run[],
  values: readonly Term[],
  value: Term,
): Steps<MeasuredValue> {
  const { terms } = common;
  const starts: Run[] = [];
  const open: Run[] = [];
  yield* follow(firstRun(terms), {
    ...common,
    until: new Set([...values, value]),
    onEnd(run) {
      if (run.additions.length > 0) open.push(run);
    },
    onStop(run, made) {
      if (made !== value) return;
      starts.push(run);
      if (starts.length > MOST_STARTS) throw new NotMeasured('its value is measured in too many ways');
    },
  });
  if (starts.length === 0) throw new NotMeasured('its value is measured in no run');
  const { min, max } = value;
  terms.measure(value);
  // Runs that come to a value which is known already are shown by that one.
  const others: Common = { ...common, ...(values.length > 0 && { until: new Set(values) }) };
  const inputs = inputsOf(value);
  const isAboveZero = min === 0n && starts.every((start) => areEqualTerms(start, value) === false);
  const ofZero = isAboveZero ? open.filter((run) => areEqualTerms(run, value) === true) : [];
  const sums = new Set(otherSites(runs, target));
  const found = yield* withSites(sums, function* () {
    const evaluate: Evaluate = (from, to) => findPlaces(others, target, starts, { from, to, sums, inputs });
    yield* assertSomeSlots(evaluate, max);
    const parts = yield* partition(evaluate, ofZero.length > 0 ? 1n : min, max);
    return yield* findSlots(parts, target);
  });
  const { steps, place } = ofZero.length > 0 ? withZero(found, ofZero, target) : found;
  const divisors = yield* findDivisors(runs, value);
  const rest: Run[] = [];
  for (const run of open) {
    if (!isClamped(run, value, { steps, place }, target)) rest.push(run);
    yield;
  }
  return {
    value,
    open: rest,
    steps: {
      steps,
      place,
      divisors,
      isCut: value.op === 'and' && value.args[0]!.max > HALF,
      sum: yield* findSum(others, target, starts, { sums, place, divisors, max }),
    },
  };
}

const MOST_SITES = 32;

/**
 * Looks for slots again when an instruction counts in none, which no run before has shown.
 *
 * @param sites The instructions that count in no slot; it adds others.
 */
function* withSites(sites: Set<number>, find: () => Steps<FoundSlots>): Steps<FoundSlots> {
  for (;;) {
    try {
      return yield* find();
    } catch (error) {
      if (!(error instanceof OtherSite) || sites.size >= MOST_SITES) throw error;
      sites.add(error.at);
    }
  }
}

/** The instructions that count in no slot: they add something other than 1, or always to a number beside the slots. */
function otherSites(runs: readonly Run[], target: Target): ReadonlySet<number> {
  const all = runs.flatMap((run) => run.additions);
  const slots = new Set(all.filter((addition) => !isElsewhere(addition, target)).map(({ at }) => at));
  const sites = all.filter(({ at, amount }) => !isOne(amount) || !slots.has(at));
  return new Set(sites.map(({ at }) => at));
}

/** Whether an addition is certainly to a number that is no slot, by the types of the map. */
function isElsewhere({ offset }: Addition, { isSlotAt }: Target): boolean {
  return isSlotAt !== undefined && isConstant(offset) && !isSlotAt(Number(offset.min));
}

/** Whether a run has found the terms of a difference to be equal; `undefined` when it has not compared them. */
function areEqualTerms({ decisions }: Run, { op, args }: Term): boolean | undefined {
  if (op !== 'sub') return undefined;
  const [a, b] = args as [Term, Term];
  return decisions.get(nameOfComparison('equal', [a, b])) ?? decisions.get(nameOfComparison('equal', [b, a]));
}

/** Which values are counted in which slots, and where. */
interface FoundSlots {
  readonly steps: readonly Step[];
  readonly place: SlotPlace;
}

/**
 * The slots from 0 on, of a program that takes a difference only where its terms are not equal.
 *
 * @param runs Those where they are equal.
 */
function withZero({ steps, place }: FoundSlots, runs: readonly Run[], target: Target): FoundSlots {
  const [slot, ...others] = new Set(runs.flatMap((run) => slotsOf(run, place, target)));
  if (slot === undefined || others.length > 0) {
    throw new NotMeasured('its slot of a difference of 0 depends on another input');
  }
  const [first, ...rest] = steps;
  const isInFirst = first?.from === 1n && first.slot === slot;
  return {
    steps: isInFirst ? [{ ...first, from: 0n }, ...rest] : [{ from: 0n, to: 0n, slot }, ...steps],
    place: place.in === 'value' ? { ...place, offset: Math.min(place.offset, Number(slot)) } : place,
  };
}

function unlessUnknown<Answer>(find: () => Answer): Answer | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof NotMeasured) return undefined;
    throw error;
  }
}

/** The slot of each addition of a run; `undefined` where it is not constant, or counts elsewhere. */
function slotsOf(
  { additions }: Run,
  place: SlotPlace,
  { elementBytes }: Target,
): readonly (bigint | undefined)[] {
  return additions
    .filter(({ amount }) => isOne(amount))
    .map(({ key, offset, size }) => {
      if (size !== place.counterSize) return undefined;
      // Another input may select the element of an array of structs.
      if (place.in === 'value') return unlessUnknown(() => readOffset(offset, BigInt(elementBytes)));
      if (!isConstant(offset)) return undefined;
      const word = key.find((one) => one.offset === place.offset && one.size === place.size);
      const isCounter = offset.min === BigInt(place.counterOffset);
      return isCounter && word !== undefined && isConstant(word.term) ? word.term.min : undefined;
    });
}

/**
 * Whether a run without the measured value counts as the value 0: a program that takes a difference first compares its two terms, and
 * counts 0 when it would be negative.
 */
function isClamped(run: Run, value: Term, { steps, place }: FoundSlots, target: Target): boolean {
  const zero = steps.find(({ from }) => from === 0n)?.slot;
  const inputs = inputsOf(value);
  const isOfValue = run.conditions.length > 0 && run.conditions.every((term) => isOfInputs(term, inputs));
  if (!isOfValue || zero === undefined) return false;
  return slotsOf(run, place, target).every((slot) => slot === zero);
}

/** Integers by which the value is divided before anything else. */
function* findDivisors(runs: readonly Run[], value: Term): Steps<readonly bigint[]> {
  const divisors = new Set<bigint>();
  const seen = new Set<Term>();
  const pending = runs.flatMap((run) => [
    ...run.additions.flatMap(({ key, offset }) => [...key.map(({ term }) => term), offset]),
    ...run.conditions,
  ]);
  for (let term = pending.pop(); term !== undefined; term = pending.pop()) {
    yield;
    if (seen.has(term) || term.id < value.id) continue;
    seen.add(term);
    // Bounded: two operands.
    pending.push(...term.args);
    const [dividend, divisor] = term.args;
    if (dividend !== value || !isConstant(divisor!)) continue;
    if (term.op === 'div' || term.op === 'sdiv') divisors.add(divisor!.min);
    if (term.op === 'lshr' || term.op === 'ashr') divisors.add(1n << divisor!.min);
  }
  return [...divisors].filter((divisor) => divisor > 1n && divisor < HALF);
}

/**
 * Two values that hardly occur in another way. They are large, so that quotients of them are distinct, and positive where the value has
 * a sign.
 */
function sampleValues(max: bigint): readonly bigint[] {
  const top = max < HALF ? max : HALF / 2n;
  return [top - top / 3n, top - top / 7n];
}

/** Where the program adds the value itself, or a quotient of it, seen with two values. */
function* findSum(
  common: Common,
  target: Target,
  starts: readonly Run[],
  { sums, place, divisors, max }: SumQuestion,
): Steps<SlotSum | undefined> {
  if (sums.size === 0) return undefined;
  const units = [1n, ...divisors];
  const found: Map<string, SlotSum>[] = [];
  for (const value of sampleValues(max)) {
    const sumsOfValue = new Map<string, SlotSum>();
    common.terms.restrict(value, value);
    for (const start of starts) {
      yield* follow(copyRun(start), {
        ...common,
        isStrict: true,
        onEnd({ additions }) {
          for (const addition of additions) {
            const { at, amount } = addition;
            const unit = units.find((one) => isConstant(amount) && amount.min === value / one);
            const where = sums.has(at) && unit !== undefined ? placeSum(place, target, addition) : undefined;
            if (where !== undefined)
              sumsOfValue.set(`${unit} ${Object.values(where)}`, { ...where, unit: unit! });
          }
        },
      });
    }
    found.push(sumsOfValue);
  }
  const [first, second] = found;
  return [...first!].find(([name]) => second!.has(name))?.[1];
}

interface SumQuestion {
  readonly sums: ReadonlySet<number>;
  readonly place: SlotPlace;
  readonly divisors: readonly bigint[];
  /** The largest value. */
  readonly max: bigint;
}

function placeSum(
  place: SlotPlace,
  target: Target,
  { key, offset, size }: Addition,
): { readonly slot: bigint } | { readonly offset: number; readonly size: number } | undefined {
  if (place.in === 'value') return { offset: Number(readOffset(offset, BigInt(target.elementBytes))), size };
  const word = key.find((one) => one.offset === place.offset);
  return word !== undefined && isConstant(word.term) ? { slot: word.term.min } : undefined;
}

function isSame(one: SlotSteps, other: SlotSteps): boolean {
  return nameOfSteps(one) === nameOfSteps(other);
}

/** Two programs that count in the same way have the same name. */
function nameOfSteps({ steps, place }: SlotSteps): string {
  return [JSON.stringify(place), ...steps.map(({ from, to, slot }) => `${from}-${to}=${slot}`)].join(' ');
}
