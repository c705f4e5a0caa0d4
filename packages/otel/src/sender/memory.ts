import type { Snapshot } from '@hdrscope/registry';
import type { Body, PartialSuccess } from './answer.ts';
import type { NumberBase } from './numbers.ts';

/** A request, and what the receiver has when it has taken it. */
export interface Offer extends Body {
  /** How many values its histograms have. */
  readonly values: number;
  /** How many of its points are numbers. */
  readonly numberPoints: number;
  readonly points: number;
  /** Series that have ended since the last request that was taken. */
  readonly endedSeries: number;
  readonly snapshot: Snapshot;
  readonly numbers: NumberBase;
}

/**
 * What a sender has delivered, and what it still owes. A sender that replaces another one takes its `memory` as an option:
 * then each value is sent once.
 */
export class OtlpSenderMemory {
  /** What the receiver has. @internal */
  base: Snapshot | undefined;
  /** @internal */
  numbers: NumberBase | undefined;
  /** A request that the receiver may have. @internal */
  held: Offer | undefined;
  /** Since when nothing was taken, by a clock that never goes back; `undefined` when the last request was taken. @internal */
  failingSinceMs: number | undefined;
  /** The work of senders that share this memory, one after the other. @internal */
  work: Promise<unknown> = Promise.resolve();
  /** @internal */
  readonly counters: {
    requests: number;
    failedRequests: number;
    pendingValues: number;
    rejectedPoints: number;
    givenUpValues: number;
    lastPartialSuccess: PartialSuccess | undefined;
  } = {
    requests: 0,
    failedRequests: 0,
    pendingValues: 0,
    rejectedPoints: 0,
    givenUpValues: 0,
    lastPartialSuccess: undefined,
  };
}
