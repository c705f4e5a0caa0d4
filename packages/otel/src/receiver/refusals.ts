import type { Flaw } from './flaw.ts';

/** What of a request was not taken: `partial_success` of its answer. */
export interface Refusals {
  readonly pointCount: number;
  /** For people; '' where nothing was refused. */
  readonly message: string;
}

// An answer is no log: the first ones tell what is wrong.
const MOST_SENTENCES = 5;
const LONGEST_NAME = 100;

/** Gathers why points of a request were refused. */
export class RefusalNotes {
  #pointCount = 0;
  /** How many points, by sentence. */
  readonly #sentences = new Map<string, number>();
  #untold = 0;

  add(metricName: string, { message }: Flaw, pointCount = 1): void {
    this.#pointCount += pointCount;
    const name = metricName.length > LONGEST_NAME ? `${metricName.slice(0, LONGEST_NAME)}…` : metricName;
    const sentence = `${JSON.stringify(name)} ${message}`;
    const known = this.#sentences.get(sentence);
    if (known === undefined && this.#sentences.size >= MOST_SENTENCES) this.#untold += pointCount;
    else this.#sentences.set(sentence, (known ?? 0) + pointCount);
  }

  refusals(): Refusals {
    const told = [...this.#sentences].map(([sentence, count]) => `${sentence} (${pointsText(count)})`);
    if (this.#untold > 0) told.push(`other reasons (${pointsText(this.#untold)})`);
    return { pointCount: this.#pointCount, message: told.join('; ') };
  }
}

function pointsText(count: number): string {
  return count === 1 ? '1 point' : `${count} points`;
}
