import type { RefusalReason } from './point-refusal.ts';

/** Counters of a receiver since it was made. */
export interface OtlpReceiverHealth {
  /** Requests that were accepted. */
  readonly requests: number;
  /** Requests that were answered with an error. */
  readonly failedRequests: number;
  /** Points of histograms that were accepted, duplicates and late ones included. */
  readonly points: number;
  /** Points that were refused, by reason. */
  readonly refused: Readonly<Record<RefusalReason, number>>;
  /** Points that repeat an earlier one: a sender repeats a request when it missed the answer. */
  readonly duplicates: number;
  /** Cumulative points that arrived after a newer point of their stream, which includes their counts. */
  readonly late: number;
  /** Restarts of cumulative streams. */
  readonly resets: number;
  /** Streams that are remembered now. */
  readonly streams: number;
}

/** The counters of `OtlpReceiverHealth`, while they change. */
export class HealthTally {
  requests = 0;
  failedRequests = 0;
  points = 0;
  duplicates = 0;
  late = 0;
  resets = 0;
  readonly refused: Record<RefusalReason, number> = {
    notHistogram: 0,
    malformed: 0,
    countTooLarge: 0,
    tooManyStreams: 0,
    conflicting: 0,
  };

  /** An immutable copy. */
  health(streams: number): OtlpReceiverHealth {
    const { requests, failedRequests, points, duplicates, late, resets } = this;
    const refused = Object.freeze({ ...this.refused });
    return Object.freeze({ requests, failedRequests, points, refused, duplicates, late, resets, streams });
  }
}
