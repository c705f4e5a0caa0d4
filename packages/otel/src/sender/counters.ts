import type { PartialSuccess } from './answer.ts';

/** The counters of a sender and of those that it has replaced: see `OtlpSenderHealth`. */
export interface SenderCounters {
  requests: number;
  failedRequests: number;
  pendingValues: number;
  rejectedPoints: number;
  givenUpValues: number;
  uncertainValues: number;
  tooLargePoints: number;
  damagedFiles: number;
  queueProblem: string | undefined;
  lastPartialSuccess: PartialSuccess | undefined;
}

export function newCounters(): SenderCounters {
  return {
    requests: 0,
    failedRequests: 0,
    pendingValues: 0,
    rejectedPoints: 0,
    givenUpValues: 0,
    uncertainValues: 0,
    tooLargePoints: 0,
    damagedFiles: 0,
    queueProblem: undefined,
    lastPartialSuccess: undefined,
  };
}
