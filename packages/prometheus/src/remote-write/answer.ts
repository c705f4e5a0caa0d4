import type { HdrscopeError } from '@hdrscope/core';
import { isAboutFuture, mayBeTaken, type PostOutcome, quoted, retryAfterMs } from '@hdrscope/kit/delivery';
import { type RemoteWriteErrorCode, remoteWriteError } from '../errors.ts';
import type { Contents } from './encode.ts';

/**
 * The result of a request:
 * - `'judged'`: the receiver has written a part of it, or all, and will not take the rest.
 * - `'ahead'`: it must be sent again.
 * - `'refused'`: no request of this kind will be taken.
 *
 * `presence` says whether the receiver has series of the request. An answer has numbers only, so it does not say which ones.
 */
export interface Verdict {
  readonly kind: 'judged' | 'ahead' | 'refused';
  /** The samples that the receiver has written. */
  readonly written: Contents;
  readonly presence: Presence;
  /** Whether the receiver does not take times of the future. */
  readonly isAhead: boolean;
  /** Why some samples are not written; `undefined` when all are. */
  readonly error: HdrscopeError<RemoteWriteErrorCode> | undefined;
}

/**
 * Whether the receiver has a series:
 * - `'none'`: it has not taken a request with it.
 * - `'possible'`: the end of a request with it is unknown.
 * - `'written'`: it has written a request with it, or a part of one.
 */
export type Presence = 'none' | 'possible' | 'written';

const NOTHING: Contents = { samples: 0, histograms: 0, exemplars: 0 };

/**
 * Derives the result of a request from its outcome.
 * Source: https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/#response
 *
 * @param sent The contents of the request.
 */
export function verdictOf(outcome: PostOutcome, sent: Contents): Verdict {
  if (outcome.kind !== 'answered') {
    const error = remoteWriteError(outcome.reason, { isFinal: false }, outcome.cause);
    const presence = outcome.kind === 'unknown' ? 'possible' : 'none';
    return { kind: 'ahead', written: NOTHING, presence, isAhead: false, error };
  }
  const { status, headers, body } = outcome;
  const counted = writtenIn(headers);
  const written = counted ?? NOTHING;
  const isAhead = status === 400 && isAboutFuture(body.toString());
  const facts = { written, presence: presenceAfter(status, counted), isAhead };
  const says = body.length === 0 ? '' : `: ${quoted(body.toString())}`;
  const isTaken = status >= 200 && status < 300;
  if (isTaken && counted === undefined) {
    const message = `the receiver has answered ${status} and says nothing of what it has written: it does not speak remote write 2`;
    return { kind: 'refused', ...facts, error: remoteWriteError(message, { isFinal: true }) };
  }
  const missing = sent.samples + sent.histograms - written.samples - written.histograms;
  if (isTaken && missing <= 0) return { kind: 'judged', ...facts, error: undefined };
  const message = `the receiver has answered ${status} and has not written ${missing} of ${sent.samples + sent.histograms} samples${says}`;
  const isFinal = status !== 408 && status !== 429 && status < 500;
  const hints = { isFinal, retryAfterMs: retryAfterMs(headers['retry-after'], Date.now()) };
  const error = remoteWriteError(message, hints);
  if (!isFinal) return { kind: 'ahead', ...facts, error };
  // 400 is about samples; any other status is about the sender, the address or the protocol.
  return { kind: isTaken || status === 400 ? 'judged' : 'refused', ...facts, error };
}

/** Proxies, and receivers of other versions, name no numbers. */
function presenceAfter(status: number, counted: Contents | undefined): Presence {
  if (counted !== undefined) return counted.samples + counted.histograms > 0 ? 'written' : 'none';
  return mayBeTaken(status) ? 'possible' : 'none';
}

/** The numbers that a receiver of version 2.0 names; `undefined` when it names none. A missing one is 0. */
function writtenIn(headers: NodeJS.Dict<string | string[]>): Contents | undefined {
  const numberIn = (name: string): number | undefined => {
    const text = headers[`x-prometheus-remote-write-${name}-written`];
    return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  const [samples, histograms, exemplars] = ['samples', 'histograms', 'exemplars'].map(numberIn);
  if (samples === undefined && histograms === undefined && exemplars === undefined) return undefined;
  return { samples: samples ?? 0, histograms: histograms ?? 0, exemplars: exemplars ?? 0 };
}
