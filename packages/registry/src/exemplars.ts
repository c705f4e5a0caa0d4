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
 * The latest exemplar of each octave, for twenty octaves at most: so the rare large values have theirs, which a fair
 * sample of all values would hardly ever hold.
 */
export class ExemplarReservoir {
  /** By octave; the one that was changed last stands last. */
  readonly #byOctave = new Map<number, Exemplar>();

  /** Takes an exemplar unless its octave has a later one, or this one: so it may be offered again and again. */
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

  /** By value, ascending. */
  snapshot(): readonly Exemplar[] {
    return Object.freeze([...this.#byOctave.values()].sort((a, b) => a.value - b.value));
  }
}
