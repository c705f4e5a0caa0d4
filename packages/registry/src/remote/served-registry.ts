import { mustBe } from '@hdrscope/core/internal';
import { atOnce, inSlices, reasonOf, Slices, type Steps } from '@hdrscope/kit';
import { type Registry, snapshotNow } from '../registry.ts';
import type { Snapshot } from '../snapshot.ts';
import { familyToJson, seriesToJson, type WireSeries } from './definitions.ts';
import { increaseBetween, type NumberedState, type WireIncrease } from './increase.ts';
import { SeriesIds } from './series-ids.ts';
import {
  type ChangesMessage,
  type CollectMessage,
  changesMessage,
  type KnownState,
  MOST_ERRORS,
} from './wire.ts';

/** How a question is answered. */
export interface AnswerOptions {
  readonly isLast: boolean;
  /** Whether the port takes no buffers. */
  readonly isText: boolean;
}

/** What an answer is made of. */
interface Answered {
  readonly known: KnownState | undefined;
  /** Those of the asker. */
  readonly states: NumberedState[];
  readonly snapshot: Snapshot;
}

// The sources of a served registry may take half of the time that the registry itself has, so that none makes it late.
const SHARE_OF_SOURCES = 0.5;

/** How many registries that ask are remembered: those that asked last. */
export const MOST_ASKERS = 16;

/**
 * How many states are remembered for an asker besides the one that it has taken. Answers then repeat the last state until the asker
 * has taken one.
 */
const MOST_STATES = 8;

/** How many series may have ended, besides as many as there are, before ids begin anew. */
const MOST_ENDED = 1000;

/** A registry that other registries collect from, through whatever ports. */
export class ServedRegistry {
  readonly instance: string = crypto.randomUUID();
  readonly #registry: Registry;
  #ids = new SeriesIds(0);
  /** The state 0 of the first asker; later ones do not have the series that have ended before. */
  #beforeAll: Snapshot | undefined;
  /** The sequence of the last state. */
  #sequence = 0;
  /**
   * The states that each asker may have taken, ascending; the first one is the one that it has acknowledged. Askers are in the order
   * in which they asked last.
   */
  readonly #askers = new Map<string, NumberedState[]>();

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#beforeAll = registry.emptySnapshot();
  }

  /**
   * Collects, and answers with all that the asker may not have taken yet.
   *
   * @throws HdrscopeError `ERR_DECODE` when the asker has taken a state that there has not been.
   */
  async answer(question: CollectMessage, options: AnswerOptions): Promise<ChangesMessage> {
    const { asker, timeoutMs } = question;
    const known = question.known?.instance === this.instance ? question.known : undefined;
    if (known !== undefined && known.sequence > this.#sequence) {
      throw mustBe('ERR_DECODE', 'collect.known.sequence', `at most ${this.#sequence}`, known.sequence);
    }
    const states = this.#statesOf(asker);
    if (known !== undefined) acknowledge(states, known.sequence);
    const snapshot = await this.#registry.gather({ timeoutMs: timeoutMs * SHARE_OF_SOURCES });
    return inSlices(this.#changes(question, { known, states, snapshot }, options), new Slices());
  }

  /** Answers at once, without a question, and asks no source: the process ends. */
  lastAnswer(asker: string): ChangesMessage {
    const answered = {
      known: undefined,
      states: this.#statesOf(asker),
      snapshot: snapshotNow(this.#registry),
    };
    return atOnce(this.#changes({ request: 0, asker }, answered, { isLast: true, isText: false }));
  }

  *#changes(
    { request, asker }: Pick<CollectMessage, 'request' | 'asker'>,
    { known, states, snapshot }: Answered,
    { isLast, isText }: AnswerOptions,
  ): Steps<ChangesMessage> {
    // Before the first pause: overlapping gathers end in the order of their snapshots, and sequences follow it.
    if (isLast || states.length <= MOST_STATES) states.push({ sequence: ++this.#sequence, snapshot });
    const ids = this.#idsFor(snapshot);
    // Other questions change the states while this answer is made.
    const chain = [...states];
    const increases: WireIncrease[] = [];
    for (let i = 1; i < chain.length; i++) {
      increases.push(yield* increaseBetween(chain[i - 1]!, chain[i]!, { ids, isText }));
    }
    const firstFamily = known?.families ?? 0;
    const families = snapshot.families.slice(firstFamily);
    const firstSeries = known?.generation === ids.generation ? known.series : 0;
    const series: WireSeries[] = [];
    for (const one of ids.series.slice(firstSeries)) {
      series.push(seriesToJson(one));
      yield;
    }
    return changesMessage({
      request,
      asker,
      instance: this.instance,
      isLast,
      timeMs: snapshot.timeMs,
      firstFamily,
      families: families.map((family) => familyToJson(family, this.#registry.family(family)!)),
      generation: ids.generation,
      firstSeries,
      series,
      increases,
      errors: errorsOf(snapshot),
    });
  }

  /** Takes for granted that an asker has taken all that was sent to it: it is gone, and another one goes on in its name. */
  assumeTaken(asker: string): void {
    const states = this.#askers.get(asker);
    states?.splice(0, states.length - 1);
  }

  /** The states of an asker, which becomes the one that asked last. */
  #statesOf(asker: string): NumberedState[] {
    const states = this.#askers.get(asker) ?? [this.#stateBefore()];
    this.#askers.delete(asker);
    this.#askers.set(asker, states);
    if (this.#askers.size > MOST_ASKERS) {
      const [oldest] = this.#askers.keys();
      this.#askers.delete(oldest!);
    }
    return states;
  }

  #stateBefore(): NumberedState {
    const snapshot = this.#beforeAll ?? this.#registry.emptySnapshot();
    this.#beforeAll = undefined;
    return { sequence: 0, snapshot };
  }

  #idsFor({ families }: Snapshot): SeriesIds {
    const live = families.reduce((sum, { series }) => sum + series.length, 0);
    if (this.#ids.series.length > 2 * live + MOST_ENDED) this.#ids = new SeriesIds(this.#ids.generation + 1);
    return this.#ids;
  }
}

/** Forgets the states before the one that an asker has taken. */
function acknowledge(states: NumberedState[], sequence: number): void {
  const [oldest] = states;
  // The question is late: the asker has acknowledged a later state since.
  if (sequence < oldest!.sequence) return;
  const taken = states.findIndex((state) => state.sequence === sequence);
  if (taken >= 0) states.splice(0, taken);
  // Too many others have asked since this asker did.
  else states.splice(0, states.length, { sequence, snapshot: undefined });
}

function errorsOf({ errors }: Snapshot): string[] {
  return errors.slice(0, MOST_ERRORS).map(({ source, error }) => `${source}: ${reasonOf(error)}`);
}

/** Every runtime has it, but the library of the language does not declare it. */
declare const crypto: { randomUUID(): string };
