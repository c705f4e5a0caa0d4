import { copyRun, isPointer, nameOfPointer, type Run, type Value } from './run.ts';
import type { Term, Terms } from './terms.ts';

/** What runs have decided that have come to a comparison in one state. */
interface Decided {
  /** What all of them have decided alike. */
  readonly decisions: ReadonlyMap<string, boolean>;
  /** What any of them has compared. */
  readonly conditions: ReadonlySet<Term>;
}

/** The ways that runs have gone, and those that are left. */
export class Ways {
  readonly pending: Run[];
  readonly #terms: Terms;
  /** By the state. */
  readonly #seen = new Map<string, Decided>();
  /** How many runs have come to a comparison, and one that stands for all of them, by its place. */
  readonly #joins = new Map<string, { count: number; run: Run }>();

  constructor(start: Run, terms: Terms) {
    this.pending = [start];
    this.#terms = terms;
  }

  /**
   * Whether another run that stands for this one has come here in the same state. If it has decided more, the run goes on for both: what
   * they have decided in different ways is open again.
   */
  isSeen(run: Run): boolean {
    const state = describeState(run);
    const known = this.#seen.get(state);
    if (known !== undefined) {
      const common = [...run.decisions].filter(([name, answer]) => known.decisions.get(name) === answer);
      const isCovered =
        common.length === known.decisions.size && run.conditions.every((term) => known.conditions.has(term));
      if (isCovered) return true;
      run.decisions = new Map(common);
      run.conditions = [...new Set([...known.conditions, ...run.conditions])];
    }
    this.#seen.set(state, { decisions: new Map(run.decisions), conditions: new Set(run.conditions) });
    return false;
  }

  /** Forgets what differs from other runs, where too many come. What is not known is an input. */
  widen(run: Run, most: number): void {
    const place = [run.at, ...run.frames.map(({ returnTo }) => returnTo)].join(',');
    // A copy, because the run goes on, and leaves its functions.
    const join = this.#joins.get(place) ?? { count: 0, run: copyRun(run) };
    this.#joins.set(place, join);
    if (join.count++ < most) return;
    // What was decided may be about an earlier value of what is forgotten now.
    run.decisions = new Map();
    for (const [i, frame] of run.frames.entries()) {
      const other = join.run.frames[i]!;
      for (const [register, value] of frame.registers.entries()) {
        const known = other.registers[register];
        if (canMerge(value, known)) frame.registers[register] = this.#merged(`${place},${i},${register}`, 64);
      }
      for (const [at, cell] of frame.stack) {
        const known = other.stack.get(at);
        if (known?.size !== cell.size || !canMerge(cell.value, known.value)) continue;
        const value = this.#merged(`${place},${i},${at}`, 8 * cell.size);
        frame.stack.set(at, { size: cell.size, value });
      }
    }
    join.run = copyRun(run);
  }

  #merged(place: string, bits: number): Term {
    return this.#terms.input(`merged@${place}`, bits);
  }
}

/** All that decides how the run goes on. */
function describeState({ at, frames, additions }: Run): string {
  const shownValue = (value: Value | undefined) =>
    value === undefined ? '' : isPointer(value) ? nameOfPointer(value) : value.id;
  const shown = frames.map(
    ({ registers, stack, returnTo }) =>
      `${returnTo}|${registers.map(shownValue).join(' ')}|${[...stack]
        .map(([offset, { size, value }]) => `${offset}:${size}:${shownValue(value)}`)
        .sort()
        .join(' ')}`,
  );
  const added = additions.map(({ at, offset, amount, key }) =>
    [at, offset.id, amount.id, ...key.map(({ term }) => term.id)].join(' '),
  );
  return [at, ...shown, ...added].join('/');
}

/** Two integers that are not the same. */
function canMerge(one: Value | undefined, other: Value | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other && !isPointer(one) && !isPointer(other);
}
