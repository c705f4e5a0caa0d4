/**
 * Why a reading is refused:
 *
 * - `conflicting`: its family counts in another way, or cannot be made.
 * - `countTooLarge`: a total count would pass 2^53 − 1.
 * - `tooManyStreams`: its key is new, and as many keys are known as `maxStreams` allows.
 * - `malformed`: it contradicts itself or an earlier reading.
 */
export type ReadingRefusal = 'conflicting' | 'countTooLarge' | 'tooManyStreams' | 'malformed';

/** The health of an ingestion, at one moment. All counts except `streams` only grow. */
export interface IngestHealth {
  /** How often the source was read, or gave readings by itself. */
  readonly reads: number;
  /** How often a read failed. */
  readonly readErrors: number;
  /** How many readings were taken, including duplicates and late ones. */
  readonly readings: number;
  /** How many values were added, including values that a series rejects. */
  readonly values: number;
  /** How often counts had fallen within one life: the counter began anew. */
  readonly resets: number;
  /**
   * How often a counter of 32 bits has fallen, and either passed its largest value or was set to 0. What it has counted since the
   * reading before is unknown, and was not added.
   */
  readonly uncertain: number;
  /** How often a known key began another life. */
  readonly newLives: number;
  /** How many keys were missing in an answer that holds all keys, and were forgotten. */
  readonly evicted: number;
  /** How many readings had come before. */
  readonly duplicates: number;
  /** How many readings came after a later reading of their life, which contains their counts. */
  readonly late: number;
  /** How many readings were refused, by reason. */
  readonly refused: Readonly<Record<ReadingRefusal, number>>;
  /**
   * How many values were in slots that are open on a side. They count at the bound of the slot, and may lie far
   * beyond it.
   */
  readonly open: number;
  /**
   * How many values may lie in a neighbouring slot of their family, at most: those in integer slots that its digits do not keep apart, and
   * in buckets and slots of HDR histograms that reach beyond one of its own.
   */
  readonly inexact: number;
  /** How many keys are known now. */
  readonly streams: number;
}

/** The counts of an `IngestHealth` while they grow. */
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
    uncertain: 0,
    newLives: 0,
    evicted: 0,
    duplicates: 0,
    late: 0,
    refused: { conflicting: 0, countTooLarge: 0, tooManyStreams: 0, malformed: 0 },
    open: 0,
    inexact: 0,
  };
}
