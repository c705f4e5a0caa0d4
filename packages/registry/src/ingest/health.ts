/**
 * Why readings are refused: `conflicting`, their family counts otherwise or cannot be made; `countTooLarge`, a count would pass
 * 2^53 − 1; `tooManyStreams`, as many keys are known as there may be; `malformed`, the reading contradicts itself or an earlier one.
 */
export type ReadingRefusal = 'conflicting' | 'countTooLarge' | 'tooManyStreams' | 'malformed';

/** How an ingestion is doing. All counts only grow, but `streams`. */
export interface IngestHealth {
  /** How often the source was read, or gave readings by itself. */
  readonly reads: number;
  /** How often a read failed. */
  readonly readErrors: number;
  /** How many readings were taken, duplicates and late ones included. */
  readonly readings: number;
  /** How many values were added, those included that a series rejects. */
  readonly values: number;
  /** How often counters had begun anew without saying so: counts had fallen. */
  readonly resets: number;
  /** How often a known key began another life. */
  readonly newLives: number;
  /** How many keys have gone from a source whose answers hold all there is. */
  readonly evicted: number;
  /** How many readings had come before. */
  readonly duplicates: number;
  /** How many readings came after a later one of their life, which holds what they hold. */
  readonly late: number;
  readonly refused: Readonly<Record<ReadingRefusal, number>>;
  /** How many values were in slots that are open on a side. They count at the bound, and may lie far beyond it. */
  readonly open: number;
  /** How many values were in slots that the digits of their family do not keep apart. */
  readonly inexact: number;
  /** How many keys are known now. */
  readonly streams: number;
}

/** The same while it is counted. */
export type IngestTally = { -readonly [Fact in keyof Omit<IngestHealth, 'refused' | 'streams'>]: number } & {
  readonly refused: Record<ReadingRefusal, number>;
};

export function newTally(): IngestTally {
  return {
    reads: 0,
    readErrors: 0,
    readings: 0,
    values: 0,
    resets: 0,
    newLives: 0,
    evicted: 0,
    duplicates: 0,
    late: 0,
    refused: { conflicting: 0, countTooLarge: 0, tooManyStreams: 0, malformed: 0 },
    open: 0,
    inexact: 0,
  };
}
