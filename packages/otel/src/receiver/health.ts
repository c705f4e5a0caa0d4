import type { RefusalReason } from './flaw.ts';

/** What a receiver has met with, so far. */
export interface OtlpReceiverHealth {
  /** How many requests were understood. */
  readonly requests: number;
  /** How many were not, and were answered by an error. */
  readonly failedRequests: number;
  /** How many points of histograms were taken, duplicates and late ones included. */
  readonly points: number;
  /** How many points were refused, by reason. */
  readonly refused: Readonly<Record<RefusalReason, number>>;
  /** How many points had come before: senders repeat a request whose answer they missed. */
  readonly duplicates: number;
  /** How many cumulative points came after a later one of their stream, which has what they have. */
  readonly late: number;
  /** How often a cumulative stream had begun anew. */
  readonly resets: number;
  /** How many streams are known now. */
  readonly streams: number;
}

/** The same while it is counted. */
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

  /** A copy that stays as it is. */
  health(streams: number): OtlpReceiverHealth {
    const { requests, failedRequests, points, duplicates, late, resets } = this;
    const refused = Object.freeze({ ...this.refused });
    return Object.freeze({ requests, failedRequests, points, refused, duplicates, late, resets, streams });
  }
}
