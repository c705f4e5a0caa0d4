/** The refused points of a request: the `partial_success` of its answer. */
export interface PointRefusals {
  /** How many points were refused. */
  readonly pointCount: number;
  /** For people. Empty when no point was refused. */
  readonly message: string;
}

// An answer is not a log: the first reasons are enough to find what is wrong.
const MOST_SENTENCES = 5;
const LONGEST_NAME = 100;

/** Collects the reasons why points of a request were refused. */
export class RefusalNotes {
  #pointCount = 0;
  /** How many points, by sentence. */
  readonly #sentences = new Map<string, number>();
  #omitted = 0;

  /** @param message A clause for people, which follows the name of the metric. */
  add(metricName: string, message: string, pointCount = 1): void {
    this.#pointCount += pointCount;
    const name = metricName.length > LONGEST_NAME ? `${metricName.slice(0, LONGEST_NAME)}…` : metricName;
    const sentence = `${JSON.stringify(name)} ${message}`;
    const known = this.#sentences.get(sentence);
    if (known === undefined && this.#sentences.size >= MOST_SENTENCES) this.#omitted += pointCount;
    else this.#sentences.set(sentence, (known ?? 0) + pointCount);
  }

  refusals(): PointRefusals {
    const sentences = [...this.#sentences].map(([sentence, count]) => `${sentence} (${pointsText(count)})`);
    if (this.#omitted > 0) sentences.push(`other reasons (${pointsText(this.#omitted)})`);
    return { pointCount: this.#pointCount, message: sentences.join('; ') };
  }
}

function pointsText(count: number): string {
  return count === 1 ? '1 point' : `${count} points`;
}
