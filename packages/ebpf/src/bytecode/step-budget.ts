import { NotMeasured } from './not-measured.ts';

/** Steps of a turn: some tenths of a millisecond. */
const STEPS_OF_TURN = 250;

/** How many instructions may be followed, and after how many others may run. */
export class StepBudget {
  #left: number;
  readonly #whole: StepBudget | undefined;
  readonly #stepsOfTurn: number;

  /**
   * @param whole A budget that this one is a part of, and that counts the turns.
   * @param stepsOfTurn Steps from one turn to the next, at least 1.
   */
  constructor(steps: number, whole?: StepBudget, stepsOfTurn: number = STEPS_OF_TURN) {
    this.#left = steps;
    this.#whole = whole;
    this.#stepsOfTurn = stepsOfTurn;
  }

  /**
   * Takes a step.
   *
   * @returns Whether a turn begins with it.
   * @throws NotMeasured when no step is left, in this budget or in the whole one.
   */
  take(): boolean {
    const isTurn = this.#whole?.take() ?? this.#left % this.#stepsOfTurn === 0;
    this.#use(1);
    return isTurn;
  }

  /**
   * Takes the steps of a copy. Whoever copies pauses afterwards.
   *
   * @throws NotMeasured when too few are left, in this budget or in the whole one.
   */
  takeCopy(steps: number): void {
    this.#whole?.takeCopy(steps);
    this.#use(steps);
  }

  #use(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new NotMeasured('following it takes too many steps');
  }
}
