import type { Attributes } from './attributes.ts';

/** A value that was recorded, and what it was recorded with. */
export interface Exemplar {
  /** In the family's unit. */
  readonly value: number;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** What leads to where it happened, such as `trace_id` and `span_id`. */
  readonly attributes: Attributes;
}

const MOST_EXEMPLARS = 20;

/**
 * Of every octave the latest exemplar, of twenty octaves at most: so the rare large values have theirs, which a fair
 * sample of all values would hardly ever hold.
 */
export class ExemplarReservoir {
  /** By octave; the one that was changed last stands last. */
  readonly #byOctave = new Map<number, Exemplar>();

  offer(exemplar: Exemplar): void {
    const octave = exemplar.value > 0 ? Math.floor(Math.log2(exemplar.value)) : Number.NEGATIVE_INFINITY;
    this.#byOctave.delete(octave);
    this.#byOctave.set(octave, exemplar);
    if (this.#byOctave.size > MOST_EXEMPLARS) {
      const [oldest] = this.#byOctave.keys();
      this.#byOctave.delete(oldest!);
    }
  }

  /** By value, ascending. */
  snapshot(): readonly Exemplar[] {
    return Object.freeze([...this.#byOctave.values()].sort((a, b) => a.value - b.value));
  }
}
