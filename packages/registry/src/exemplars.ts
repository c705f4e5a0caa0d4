import type { Attributes } from './attributes.ts';

/** A recorded value with a link to its cause. */
export interface Exemplar {
  /** In the family's unit. */
  readonly value: number;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** The link, such as `trace_id` and `span_id`. */
  readonly attributes: Attributes;
}

const MOST_EXEMPLARS = 20;

/**
 * The latest exemplar of each octave, which is a range from one power of two to the next, for at most 20 octaves.
 * Rare large values thus keep theirs; a fair sample of all values would hardly ever hold one of them.
 */
export class ExemplarReservoir {
  /** By octave; the one that changed last is the last. */
  readonly #byOctave = new Map<number, Exemplar>();

  /** Keeps an exemplar, unless its octave has a later one or this one: the same exemplar may be offered repeatedly. */
  offer(exemplar: Exemplar): void {
    const octave = exemplar.value > 0 ? Math.floor(Math.log2(exemplar.value)) : Number.NEGATIVE_INFINITY;
    const known = this.#byOctave.get(octave);
    if (known !== undefined && known.timeMs > exemplar.timeMs) return;
    if (known?.timeMs === exemplar.timeMs && known.value === exemplar.value) return;
    this.#byOctave.delete(octave);
    this.#byOctave.set(octave, exemplar);
    if (this.#byOctave.size > MOST_EXEMPLARS) {
      const [oldest] = this.#byOctave.keys();
      this.#byOctave.delete(oldest!);
    }
  }

  /** Ascending by value. */
  snapshot(): readonly Exemplar[] {
    return Object.freeze([...this.#byOctave.values()].sort((a, b) => a.value - b.value));
  }
}
