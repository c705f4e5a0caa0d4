import { findLeading } from './leading.ts';
import { type Following, follow, UNDECIDED } from './machine.ts';
import {
  type Addition,
  copyRun,
  firstRun,
  type KeyWord,
  type MapFacts,
  NotMeasured,
  type ProgramCode,
  type Run,
  StepBudget,
} from './run.ts';
import { HALF, inputsOf, isConstant, type Term, Terms } from './terms.ts';

/** The first integer of a range of words that is negative when the word has a sign. */
export function firstNegative(max: bigint): bigint {
  return (max + 1n) / 2n;
}

/** Values that are counted in the same slot. */
export interface Step {
  /** The smallest and the largest value, as unsigned integers. */
  readonly from: bigint;
  readonly to: bigint;
  /** The number of the slot, or its offset in bytes; `undefined` when the values are not counted. */
  readonly slot: bigint | undefined;
}

/** Where in a map a program counts. */
export interface SlotPlace {
  /** What changes with the slot: a word of the key, or the place in the value. */
  readonly in: 'key' | 'value';
  /** The word of the key, or the smallest offset in the value, in bytes. */
  readonly offset: number;
  /** Size of the word of the key, or of a counter in the value. */
  readonly size: number;
  /** Offset in the value, of a counter whose slot is in the key. */
  readonly counterOffset: number;
  /** Size of a counter, in bytes. */
  readonly counterSize: number;
}

/** Which values a program counts in which slots. */
export interface SlotSteps {
  readonly steps: readonly Step[];
  readonly place: SlotPlace;
  /** Integers by which the program divides the value. */
  readonly divisors: readonly bigint[];
  /** Whether the program keeps only the lowest 32 bits of the value. */
  readonly isCut: boolean;
  /** Where the program sums up the values, in terms of `place`; `undefined` when it was not seen. */
  readonly sum: { readonly slot: bigint } | { readonly offset: number; readonly size: number } | undefined;
}

/** Where the counters are in a map that is measured. */
export interface Target {
  isTarget(map: MapFacts): boolean;
  /** Size of the values of the map, or of the elements of a variable in it, in bytes. */
  readonly elementBytes: number;
  /** Offset of the word of the key that is the slot, in bytes. @default the last word that is not always the same */
  readonly slotOffset?: number;
}

/** Instructions that all runs of a program together may take. A second is enough for about two million. */
const MOST_STEPS = 6_000_000;
/** Those of one term that may be the measured value. */
const MOST_STEPS_OF_VALUE = 2_500_000;
const MOST_FIRST_STEPS = 300_000;
const MOST_FIRST_RUNS = 64;
const MOST_CANDIDATES = 12;
/** Values that a program measures and counts in the same map, one apart from the other. */
const MOST_VALUES = 4;
const MOST_STARTS = 64;
const MOST_SLOTS = 4200;

/**
 * Measures which values a program counts in which slots of a map, by following its instructions with the measured value in one range
 * after the other. Every step is proven: the program counts all its values in the slot, whatever its other inputs are.
 *
 * @param whole A budget for several programs. The default has no limit besides that of one program.
 * @returns `undefined` when the program adds nothing to the map.
 * @throws NotMeasured when that cannot be shown.
 */
export function measureSlots(code: ProgramCode, target: Target, whole?: StepBudget): SlotSteps | undefined {
  const budget = new StepBudget(MOST_STEPS, whole);
  const { isTarget } = target;
  const common: Common = {
    ...{ code, terms: new Terms(), budget, loads: new Map() },
    target: { isTarget, leading: findLeading(code, isTarget) },
  };
  let open = firstRuns(common);
  // A program that only stores integers may keep anything in the map.
  const isCounting = open.some((run) => run.additions.some(({ isFirst }) => !isFirst));
  if (!isCounting) return undefined;
  const sums = sumSites(open);
  if (open.every(({ additions }) => additions.every(({ at }) => sums.has(at)))) {
    throw new NotMeasured(OTHER_THAN_ONE);
  }
  const values: Term[] = [];
  let found: SlotSteps | undefined;
  while (open.length > 0) {
    if (values.length === MOST_VALUES) throw new NotMeasured('it counts too many different values');
    const next = measureOne(common, target, open, values);
    if (found !== undefined && !isSame(found, next.steps)) {
      throw new NotMeasured('it counts different values in different ways');
    }
    found ??= next.steps;
    values.push(next.value);
    open = next.open;
  }
  return found;
}

type Common = Pick<Following, 'code' | 'terms' | 'budget' | 'loads' | 'target' | 'until'>;

/** Some runs that add to the map. */
function firstRuns(common: Common): readonly Run[] {
  const budget = new StepBudget(MOST_FIRST_STEPS, common.budget);
  const runs: Run[] = [];
  try {
    follow(firstRun(common.terms), {
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

function measureOne(
  common: Common,
  target: Target,
  runs: readonly Run[],
  values: readonly Term[],
): MeasuredValue {
  let reason: NotMeasured | undefined;
  const candidates = candidatesOf(runs, target);
  for (const value of candidates) {
    try {
      const budget = new StepBudget(MOST_STEPS_OF_VALUE, common.budget);
      return measureValue({ ...common, budget }, target, runs, values, value);
    } catch (error) {
      if (!(error instanceof NotMeasured)) throw error;
      reason ??= error;
    } finally {
      common.terms.endMeasuring();
    }
  }
  throw reason ?? new NotMeasured('its slot does not depend on one measured value');
}

/**
 * The terms that may be the measured value, the most likely first: those on which a slot depends alone, and then those of the last
 * comparisons before a count. A term comes before what is computed from it.
 */
function candidatesOf(runs: readonly Run[], target: Target): readonly Term[] {
  const weights = new Map<Term, number>();
  const weigh = (terms: Iterable<Term>, weight: number) => {
    for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + weight);
  };
  for (const { additions, conditions } of runs) {
    weigh(new Set(additions.flatMap((addition) => cutsOf(slotTermOf(addition, target)))), OF_SLOT);
    const last = new Map(conditions.flatMap((term, i) => cutsOf(term).map((cut) => [cut, i + 1] as const)));
    for (const [term, position] of last) weigh([term], position / conditions.length);
  }
  return [...weights]
    .filter(([term]) => mayBeValue(term))
    .sort(([a, weightOfA], [b, weightOfB]) => weightOfB - weightOfA || a.id - b.id)
    .slice(0, MOST_CANDIDATES)
    .map(([term]) => term);
}

/** The weight of a term on which a slot depends. A comparison weighs less than 1. */
const OF_SLOT = 10;

/** The term that may be the slot: a place in the value, or else a word of the key. */
function slotTermOf({ key, offset }: Addition, { slotOffset, elementBytes }: Target): Term | undefined {
  const isPlace =
    !isConstant(offset) && partsOfSum(offset).some((term) => !isMultiple(term, BigInt(elementBytes)));
  if (isPlace) return offset;
  const words = key.filter(({ term, offset }) => !isConstant(term) && (slotOffset ?? offset) === offset);
  return words.at(-1)?.term;
}

/** The terms of a sum that are not constant. */
function partsOfSum(sum: Term): readonly Term[] {
  const parts: Term[] = [];
  const pending = [sum];
  for (let term = pending.pop(); term !== undefined; term = pending.pop()) {
    // Bounded: two operands.
    if (term.op === 'add') pending.push(...term.args);
    else if (!isConstant(term)) parts.push(term);
  }
  return parts;
}

/** Inputs that say who runs the program or where, which is no measurement. */
const NO_MEASUREMENT = /^(?:machine|address|register|merged)@/;

/**
 * Whether a term may be a measured value: an input, the difference of two terms, or that with fewer bits. A slot that is computed from
 * several inputs in another way is not one of a histogram.
 */
function mayBeValue(term: Term): boolean {
  const { op, args } = term;
  if (op.includes('@')) return !NO_MEASUREMENT.test(op);
  // A remainder is the difference of an integer and a part of itself.
  if (op === 'sub') return [...inputsOf(args[0]!)].every((input) => !inputsOf(args[1]!).has(input));
  if (op === 'and') return args[1]!.min === HALF && args[1]!.max === HALF && mayBeValue(args[0]!);
  return op === 'sext' && mayBeValue(args[0]!);
}

const MOST_TERMS = 2000;

/** The terms through which every way from a term to its inputs leads. */
function cutsOf(root: Term | undefined): readonly Term[] {
  if (root === undefined || isConstant(root)) return [];
  // In descending order of age, a term is a cut when no term that is still pending is beside it.
  const cuts: Term[] = [];
  const pending = new Set([root]);
  for (let count = 0; pending.size > 0 && count < MOST_TERMS; count++) {
    let youngest: Term | undefined;
    for (const term of pending) if (youngest === undefined || term.id > youngest.id) youngest = term;
    pending.delete(youngest!);
    if (pending.size === 0) cuts.push(youngest!);
    for (const arg of youngest!.args) if (!isConstant(arg)) pending.add(arg);
  }
  return cuts;
}

function measureValue(
  common: Common,
  target: Target,
  runs: readonly Run[],
  values: readonly Term[],
  value: Term,
): MeasuredValue {
  const { terms } = common;
  const starts: Run[] = [];
  const open: Run[] = [];
  follow(firstRun(terms), {
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
  const sums = sumSites(runs);
  const { min, max } = value;
  terms.measure(value);
  // Runs that come to a value which is known already are shown by that one.
  const others: Common = { ...common, until: new Set(values) };
  const inputs = inputsOf(value);
  const evaluate = (from: bigint, to: bigint) => placesOf(others, target, starts, { from, to, sums, inputs });
  assertSomeSlots(evaluate, max);
  const parts = partition(evaluate, min, max);
  const { steps, place } = slotsOf(parts, target);
  const divisors = divisorsOf(runs, value);
  const rest = open.filter((run) => !isClamped(run, value, steps, place));
  return {
    value,
    open: rest,
    steps: {
      steps,
      place,
      divisors,
      isCut: value.op === 'and' && value.args[0]!.max > HALF,
      sum: sumOf(others, target, starts, { sums, place }),
    },
  };
}

/** The instructions that add something other than 1. */
function sumSites(runs: readonly Run[]): ReadonlySet<number> {
  const sites = runs.flatMap((run) => run.additions).filter(({ amount }) => !isOne(amount));
  return new Set(sites.map(({ at }) => at));
}

function isOne(amount: Term): boolean {
  return amount.min === 1n && amount.max === 1n;
}

/** A place where a program counts, for values of one range. */
interface Place {
  /** The position of the instruction that adds. */
  readonly at: number;
  /** Whether something other than 1 is added or stored there. */
  readonly isOther: boolean;
  /** Whether all comparisons before it that could go both ways are of the terms of the measured difference. */
  readonly isClamped: boolean;
  readonly words: readonly {
    readonly offset: number;
    readonly size: number;
    readonly value: bigint | undefined;
  }[];
  readonly offset: bigint;
  readonly size: number;
}

type Places = ReadonlyMap<string, Place>;

/** What is asked about a range of values. */
interface Question {
  readonly from: bigint;
  readonly to: bigint;
  readonly sums: ReadonlySet<number>;
  /** The inputs of the measured value. */
  readonly inputs: ReadonlySet<Term>;
}

function isOfInputs(term: Term, inputs: ReadonlySet<Term>): boolean {
  const own = [...inputsOf(term)];
  return own.length > 0 && own.every((input) => inputs.has(input));
}

function nameOf({ words, offset, size }: Pick<Place, 'words' | 'offset' | 'size'>): string {
  return `${words.map((word) => `${word.offset}:${word.size}=${word.value ?? '?'}`).join(',')}+${offset}:${size}`;
}

/** Where the program counts when the value is in a range; `undefined` when that differs within the range. */
function placesOf(
  common: Common,
  target: Target,
  starts: readonly Run[],
  { from, to, sums, inputs }: Question,
): Places | undefined {
  const places = new Map<string, Place>();
  common.terms.restrict(from, to);
  try {
    for (const start of starts) {
      follow(copyRun(start), {
        ...common,
        isStrict: true,
        onEnd(run) {
          const isClamped =
            run.conditions.length > 0 && run.conditions.every((term) => isOfInputs(term, inputs));
          for (const addition of run.additions) {
            const { at } = addition;
            const isOther = sums.has(at);
            if (!isOther) assertOne(addition);
            const place = placeOf(target, addition);
            const name = `${at} ${nameOf(place)}`;
            const before = places.get(name)?.isClamped ?? true;
            places.set(name, { ...place, at, isOther, isClamped: before && isClamped });
          }
        },
      });
    }
  } catch (error) {
    if (error !== UNDECIDED) throw error;
    if (from === to) throw new NotMeasured('its slot depends on more than the measured value');
    return undefined;
  }
  return places;
}

function assertOne({ amount }: Addition): void {
  if (isOne(amount)) return;
  if (amount.isMeasured) throw UNDECIDED;
  throw new NotMeasured(OTHER_THAN_ONE);
}

const OTHER_THAN_ONE = 'it adds something other than 1';

function placeOf(
  target: Target,
  { key, offset, size }: Addition,
): Omit<Place, 'at' | 'isOther' | 'isClamped'> {
  const words = key.map((word) => ({ offset: word.offset, size: word.size, value: wordOf(word) }));
  const distance = offsetOf(offset, BigInt(target.elementBytes));
  return { words, offset: distance, size };
}

function wordOf({ term }: KeyWord): bigint | undefined {
  if (isConstant(term)) return term.min;
  if (term.isMeasured) throw UNDECIDED;
  return undefined;
}

/** The known part of an offset. The rest selects an element, so it is a multiple of its size. */
function offsetOf(offset: Term, elementBytes: bigint): bigint {
  let known = 0n;
  const pending = [offset];
  for (let term = pending.pop(); term !== undefined; term = pending.pop()) {
    if (isConstant(term)) known += term.min;
    // Bounded: two operands.
    else if (term.op === 'add') pending.push(...term.args);
    else if (term.isMeasured) throw UNDECIDED;
    else if (!isMultiple(term, elementBytes)) throw new NotMeasured('its slot depends on another input');
  }
  return BigInt.asIntN(64, known);
}

function isMultiple({ op, args, ones, unknown }: Term, of: bigint): boolean {
  const [, factor] = args;
  if (op === 'mul' && isConstant(factor!) && factor!.min % of === 0n) return true;
  const isPower = (of & (of - 1n)) === 0n;
  return isPower && ((ones | unknown) & (of - 1n)) === 0n;
}

const USUAL_VALUES = [0n, 1n, 10n, 1000n, 10n ** 6n];
const PROBES = 5;
const LARGE = 2n ** 20n;

/**
 * Asks about some values before all of them are divided into slots, which takes long where the value is another one.
 *
 * @throws NotMeasured when all have the same slot, or when neighbours have different ones all over the range.
 */
function assertSomeSlots(evaluate: (from: bigint, to: bigint) => Places | undefined, max: bigint): void {
  const nameAt = (value: bigint) => namesOf(evaluate(value, value)!);
  // The smallest and the largest values have different slots, unless neither is counted.
  const values = [...USUAL_VALUES.filter((value) => value <= max), firstNegative(max) - 1n, max];
  if (new Set(values.map(nameAt)).size === 1) throw new NotMeasured('all values are counted in one slot');
  if (max < LARGE) return;
  const probes = Array.from({ length: PROBES }, (_, i) => (max / BigInt(PROBES)) * BigInt(i) + 12_345n);
  if (probes.every((probe) => nameAt(probe) !== nameAt(probe + 1n))) {
    throw new NotMeasured('neighbours are counted in different slots over the whole range');
  }
}

function namesOf(places: Places): string {
  return [...places.keys()].sort().join(' ');
}

interface Part {
  readonly from: bigint;
  readonly to: bigint;
  readonly places: Places;
  readonly name: string;
}

/** Divides a range into the largest parts whose values are counted in the same places. */
function partition(
  evaluate: (from: bigint, to: bigint) => Places | undefined,
  lo: bigint,
  hi: bigint,
): readonly Part[] {
  const parts: Part[] = [];
  const seen = new Set<string>();
  const sign = firstNegative(hi);
  let width = 1n;
  for (let from = lo; from <= hi; ) {
    const end = from < sign ? sign - 1n : hi;
    const places = evaluate(from, from)!;
    const name = namesOf(places);
    const before = parts.at(-1);
    if (name !== before?.name && seen.has(name) && from < sign) {
      throw new NotMeasured('larger values are counted in slots of smaller ones again');
    }
    const holds = (to: bigint) => {
      const others = evaluate(from, to);
      return others !== undefined && namesOf(others) === name;
    };
    const to = lastThatHolds(holds, from, end, width);
    if (name === before?.name && before.to + 1n === from && from !== sign) {
      parts[parts.length - 1] = { ...before, to };
    } else {
      parts.push({ from, to, places, name });
    }
    if (parts.length > MOST_SLOTS) throw new NotMeasured(`it has more than ${MOST_SLOTS} slots`);
    seen.add(name);
    width = to - from + 1n;
    from = to + 1n;
  }
  return parts;
}

/** The end of the part that begins at an integer. Slots are often as wide as the one before, or twice as wide. */
function lastThatHolds(holds: (to: bigint) => boolean, from: bigint, end: bigint, width: bigint): bigint {
  if (holds(end)) return end;
  let [good, bad] = [from, end];
  for (const guess of [from + width - 1n, from + 2n * width - 1n]) {
    if (guess <= good || guess >= bad) continue;
    if (!holds(guess)) {
      bad = guess;
      break;
    }
    good = guess;
    if (!holds(guess + 1n)) return good;
  }
  for (let step = width; good + step < bad; step *= 2n) {
    if (!holds(good + step)) {
      bad = good + step;
      break;
    }
    good += step;
  }
  while (bad - good > 1n) {
    const middle = (good + bad) / 2n;
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** A number of a place: a word of its key, by position, or its offset in the value. */
type Coordinate = number | 'offset';

/** The slot of each part: the coordinate that the value decides. The others are labels, and depend on other inputs alone. */
function slotsOf(
  parts: readonly Part[],
  { slotOffset }: Target,
): { readonly steps: readonly Step[]; readonly place: SlotPlace } {
  const own = withoutTotals(parts);
  const others = parts.flatMap(({ places }) => [...places.values()].filter(({ isOther }) => isOther));
  const all = own.flatMap(({ places }) => places);
  const [model] = all;
  if (model === undefined) throw new NotMeasured('all values are counted in one slot');
  if (!all.every((place) => isAlike(place, model))) {
    throw new NotMeasured('its slots are at places of different kinds');
  }
  const coordinates: readonly Coordinate[] = [...model.words.keys(), 'offset'];
  const filled = own.filter(({ places }) => places.length > 0);
  const changing = coordinates.filter((coordinate) => {
    const names = filled.map(({ places }) => namesAt(places, coordinate));
    return names.some((name) => name !== names[0]);
  });
  const [coordinate] = changing;
  if (coordinate === undefined) throw new NotMeasured('all values are counted in one slot');
  if (changing.length > 1)
    throw new NotMeasured('its slot depends on another input, or its slots differ in several ways');
  const slotsIn = (places: readonly Place[]) => [
    ...new Set(places.map((place) => numberAt(place, coordinate))),
  ];
  if (others.some((other) => all.some((place) => mayOverlap(other, place)))) {
    throw new NotMeasured(OTHER_THAN_ONE);
  }
  const [zero, ...more] = slotsIn(own[0]!.places);
  const steps = own.map(({ from, to, places }): Step => {
    const slots = slotsIn(places);
    // A difference that would be negative counts as 0, whatever it is: the program compares its two terms.
    const isClamped = places.every((one) => one.isClamped || numberAt(one, coordinate) !== zero);
    const left =
      isClamped && more.length === 0 && slots.length === 2 ? slots.filter((slot) => slot !== zero) : slots;
    if (left.length > 1) throw new NotMeasured('its slot depends on more than the measured value');
    if (places.length > 0 && left[0] === undefined)
      throw new NotMeasured('its slot depends on another input');
    return { from, to, slot: left[0] };
  });
  const offsets = all.map(({ offset }) => Number(offset));
  const counter = { counterOffset: offsets[0]!, counterSize: model.size };
  if (coordinate === 'offset') {
    const least = offsets.reduce((one, other) => Math.min(one, other));
    return { steps, place: { in: 'value', offset: least, size: model.size, ...counter } };
  }
  const { offset, size } = model.words[coordinate]!;
  const isLast = model.words.slice(coordinate + 1).every(({ value }, i) => {
    const after = coordinate + 1 + i;
    return value !== undefined && all.every(({ words }) => words[after]!.value === value);
  });
  const isLabel = slotOffset === undefined ? !isLast : slotOffset !== offset;
  if (isLabel || new Set(offsets).size > 1) throw new NotMeasured('a label depends on it, and no slot');
  return { steps, place: { in: 'key', offset, size, ...counter } };
}

interface OwnPart {
  readonly from: bigint;
  readonly to: bigint;
  readonly places: readonly Place[];
}

/**
 * The parts without counters of all values: an instruction that always adds to the same place, beside one that adds to different
 * places and never to that one.
 */
function withoutTotals(parts: readonly Part[]): readonly OwnPart[] {
  const namesBySite = new Map<number, Set<string>>();
  for (const { places } of parts) {
    for (const place of counted(places)) {
      namesBySite.set(place.at, (namesBySite.get(place.at) ?? new Set()).add(nameOf(place)));
    }
  }
  const isVaried = ({ at }: Place) => namesBySite.get(at)!.size > 1;
  const varied = new Set(
    [...namesBySite.values()].filter(({ size }) => size > 1).flatMap((names) => [...names]),
  );
  const slotted = parts.flatMap(({ places }) => counted(places).filter(isVaried));
  // A word that is a number elsewhere and not known here may be any slot.
  const isKnown = ({ words }: Place) =>
    words.every(
      ({ value }, i) => value !== undefined || slotted.every((other) => other.words[i]?.value === undefined),
    );
  const isTotal = (place: Place) =>
    !isVaried(place) &&
    isKnown(place) &&
    !varied.has(nameOf(place)) &&
    parts.every(({ places }) => {
      const all = counted(places);
      return !all.some(({ at }) => at === place.at) || all.some(isVaried);
    });
  const totals = new Map<number, boolean>();
  return parts.map(({ from, to, places }) => {
    const kept = counted(places).filter((place) => {
      const known = totals.get(place.at) ?? isTotal(place);
      totals.set(place.at, known);
      return !known;
    });
    return { from, to, places: kept };
  });
}

function counted(places: Places): readonly Place[] {
  return [...places.values()].filter(({ isOther }) => !isOther);
}

/** Whether two places may have a byte in common. A word of a key that is not known may be any. */
function mayOverlap(one: Place, other: Place): boolean {
  const isApart =
    one.offset + BigInt(one.size) <= other.offset || other.offset + BigInt(other.size) <= one.offset;
  const isOtherEntry = one.words.some(({ offset, size, value }, i) => {
    const word = other.words[i];
    const isSameWord = word?.offset === offset && word.size === size;
    return isSameWord && value !== undefined && word.value !== undefined && value !== word.value;
  });
  return !isApart && !isOtherEntry;
}

function isAlike({ words, size }: Place, model: Place): boolean {
  return (
    size === model.size &&
    words.length === model.words.length &&
    words.every(({ offset, size }, i) => offset === model.words[i]!.offset && size === model.words[i]!.size)
  );
}

function numberAt({ words, offset }: Place, coordinate: Coordinate): bigint | undefined {
  return coordinate === 'offset' ? offset : words[coordinate]!.value;
}

function namesAt(places: readonly Place[], coordinate: Coordinate): string {
  return [...new Set(places.map((place) => String(numberAt(place, coordinate))))].sort().join(' ');
}

/**
 * Whether a run without the measured value counts as the value 0: a program that takes a difference first compares its two terms, and
 * counts 0 when it would be negative.
 */
function isClamped(run: Run, value: Term, steps: readonly Step[], place: SlotPlace): boolean {
  const zero = steps.find(({ from }) => from === 0n)?.slot;
  const inputs = inputsOf(value);
  const isOfValue = run.conditions.length > 0 && run.conditions.every((term) => isOfInputs(term, inputs));
  if (!isOfValue || zero === undefined) return false;
  return run.additions
    .filter(({ amount }) => isOne(amount))
    .every(({ key, offset }) => {
      const slot = place.in === 'value' ? offset : key.find((word) => word.offset === place.offset)?.term;
      return slot !== undefined && isConstant(slot) && slot.min === zero;
    });
}

/** Integers by which the value is divided before anything else. */
function divisorsOf(runs: readonly Run[], value: Term): readonly bigint[] {
  const divisors = new Set<bigint>();
  const seen = new Set<Term>();
  const pending = runs.flatMap((run) => [
    ...run.additions.flatMap(({ key, offset }) => [...key.map(({ term }) => term), offset]),
    ...run.conditions,
  ]);
  for (let term = pending.pop(); term !== undefined; term = pending.pop()) {
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

/** Two values that hardly occur in another way. */
const SAMPLES = [1_000_003n, 77n];

/** Where the program adds the value itself, seen with two values. */
function sumOf(
  common: Common,
  target: Target,
  starts: readonly Run[],
  { sums, place }: { readonly sums: ReadonlySet<number>; readonly place: SlotPlace },
): SlotSteps['sum'] {
  if (sums.size === 0) return undefined;
  const [first, second] = SAMPLES.map((value) => {
    const found = new Map<string, NonNullable<SlotSteps['sum']>>();
    common.terms.restrict(value, value);
    for (const start of starts) {
      follow(copyRun(start), {
        ...common,
        isStrict: true,
        onEnd({ additions }) {
          for (const addition of additions) {
            const isOfValue = addition.amount.min === value && addition.amount.max === value;
            const where = sums.has(addition.at) && isOfValue ? sumAt(place, target, addition) : undefined;
            if (where !== undefined) found.set(`${Object.values(where)}`, where);
          }
        },
      });
    }
    return found;
  });
  return [...first!].find(([name]) => second!.has(name))?.[1];
}

function sumAt(place: SlotPlace, target: Target, { key, offset, size }: Addition): SlotSteps['sum'] {
  if (place.in === 'value') return { offset: Number(offsetOf(offset, BigInt(target.elementBytes))), size };
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
