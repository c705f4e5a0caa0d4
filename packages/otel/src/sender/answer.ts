import { HdrscopeError } from '@hdrscope/core';
import { type DeliveryHints, quoted } from '@hdrscope/kit/delivery';
import type { OtlpErrorCode } from '../errors.ts';
import {
  ANY_TYPE,
  ANY_VALUE,
  NANOSECONDS,
  RETRY_DELAY,
  SECONDS,
  STATUS_DETAIL,
  STATUS_MESSAGE,
} from '../google-status.ts';
import { delimited, MessageReader, readFields, readMessage, varint } from '../receiver/wire.ts';

/** A part that the receiver did not take. */
export interface PartialSuccess {
  /** How many points the receiver says it did not take. */
  readonly rejectedPoints: number;
  /** Empty when the receiver says nothing. */
  readonly message: string;
}

/**
 * The result of a request:
 * - `'taken'`: the receiver has it, all but the part that it rejected.
 * - `'refused'`: the receiver has judged its points, and will not take them as they are.
 * - `'unread'`: nobody has judged its points. The receiver does not have them.
 * - `'unknown'`: the receiver may have it.
 *
 * `isFinal` says that the answer to the same request will be the same, `isTooLarge` that a smaller one may be taken,
 * `isCut` that the receiver has not read all of it, perhaps because it is too large, `isKnown` that the receiver has points of these
 * series and times already, and `isAhead` that it does not take times of the future.
 */
export type Answer =
  | { readonly kind: 'taken'; readonly partial?: PartialSuccess | undefined }
  | {
      readonly kind: 'refused';
      readonly error: Error;
      readonly isFinal: boolean;
      readonly isTooLarge?: boolean;
      readonly isKnown?: boolean;
      readonly isAhead?: boolean;
      readonly retryAfterMs?: number | undefined;
    }
  | {
      readonly kind: 'unread' | 'unknown';
      readonly error: Error;
      readonly isFinal?: boolean;
      readonly isCut?: boolean;
      readonly retryAfterMs?: number | undefined;
    };

/** The answer to a request that was not taken. */
export type Failure = Exclude<Answer, { kind: 'taken' }>;

/** The bytes of a request. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly isGzip: boolean;
}

/** Sends a request, and resolves with its result. Never rejects. */
export type Send = (body: Body, signal: AbortSignal) => Promise<Answer>;

// https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/collector/metrics/v1/metrics_service.proto
const RESPONSE_PARTIAL_SUCCESS = delimited(1);
const PARTIAL_REJECTED = varint(1);
const PARTIAL_MESSAGE = delimited(2);

/** The partial success in an `ExportMetricsServiceResponse`; `undefined` when the receiver has taken all and says nothing. */
export function partialSuccessIn(bytes: Uint8Array): PartialSuccess | undefined {
  let rejectedPoints = 0;
  let message = '';
  const reader = new MessageReader(bytes);
  readIfValid(reader, (tag) => {
    if (tag !== RESPONSE_PARTIAL_SUCCESS) return false;
    readMessage(reader, (inner) => {
      if (inner === PARTIAL_REJECTED) rejectedPoints = Number(reader.int64());
      else if (inner === PARTIAL_MESSAGE) message = reader.string();
      else return false;
      return true;
    });
    return true;
  });
  return partialSuccess(rejectedPoints, message);
}

/** The partial success in a response in JSON. */
export function partialSuccessInJson(text: string): PartialSuccess | undefined {
  try {
    const { rejectedDataPoints = 0, errorMessage = '' } = JSON.parse(text)?.partialSuccess ?? {};
    return partialSuccess(Number(rejectedDataPoints), String(errorMessage));
  } catch {
    return undefined;
  }
}

/** The message of a `google.rpc.Status` in JSON, else the whole text. */
export function messageInJson(text: string): string {
  try {
    const { message } = JSON.parse(text);
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}

function partialSuccess(rejected: number, message: string): PartialSuccess | undefined {
  const rejectedPoints = Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  return rejectedPoints === 0 && message === '' ? undefined : { rejectedPoints, message: quoted(message) };
}

/**
 * Whether a message is about the size of a request. Receivers say so in words only: gRPC in Go and C++ ("received message larger than
 * max"), Java ("exceeds maximum size"), .NET ("exceeds the maximum configured message size") and Rust ("message length too large"),
 * and the Collector over HTTP ("request body too large").
 */
export function isAboutSize(message: string): boolean {
  return /larger than max|exceeds (the )?maximum|(length|body) too large|size limit/i.test(message);
}

/**
 * The cure for a message about exponential histograms, as the end of a sentence; empty for other messages. Prometheus has no scale below
 * -4, and answers 500 ("Scale must be >= -4"); and receivers without exponential histograms name them.
 */
export function cureOfMessage(message: string): string {
  if (!/\bscale\b|exponential/i.test(message)) return '';
  return ': send explicit histograms (histograms: explicit), or raise maxSize of the view for a finer scale';
}

/** Whether a message is that of Prometheus, and of databases that are built on it, about points which they have already. */
export function isAboutRepetition(message: string): boolean {
  return /duplicate sample for timestamp/i.test(message);
}

/** A `google.rpc.Status`, with the delay of a `RetryInfo` among its details. */
export function statusIn(bytes: Uint8Array): { message: string; retryAfterMs: number | undefined } {
  let message = '';
  let retryAfterMs: number | undefined;
  const reader = new MessageReader(bytes);
  readIfValid(reader, (tag) => {
    if (tag === STATUS_MESSAGE) message = reader.string();
    else if (tag === STATUS_DETAIL) retryAfterMs = retryDelayIn(reader) ?? retryAfterMs;
    else return false;
    return true;
  });
  return { message, retryAfterMs };
}

function retryDelayIn(reader: MessageReader): number | undefined {
  let type = '';
  let value: Uint8Array = new Uint8Array();
  readMessage(reader, (tag) => {
    if (tag === ANY_TYPE) type = reader.string();
    else if (tag === ANY_VALUE) value = reader.bytes();
    else return false;
    return true;
  });
  if (!type.endsWith('/google.rpc.RetryInfo')) return undefined;
  let ms = 0;
  const info = new MessageReader(value);
  readIfValid(info, (tag) => {
    if (tag !== RETRY_DELAY) return false;
    readMessage(info, (inner) => {
      if (inner === SECONDS) ms += Number(info.int64()) * 1000;
      else if (inner === NANOSECONDS) ms += info.int32() / 1e6;
      else return false;
      return true;
    });
    return true;
  });
  return Math.max(0, ms);
}

/** Reads what is valid: an answer that cannot be read says nothing. */
function readIfValid(reader: MessageReader, readField: (tag: number) => boolean): void {
  try {
    readFields(reader, reader.len, readField);
  } catch {
    // What was read before the fault counts.
  }
}

/** The error of a failure. @param more What the sender does about it. */
export function undelivered(answer: Failure, more: string): HdrscopeError<OtlpErrorCode> {
  const { error, retryAfterMs } = answer;
  const details: DeliveryHints = { isFinal: answer.isFinal ?? false, retryAfterMs };
  const cure = cureOfMessage(error.message);
  return new HdrscopeError('ERR_OTLP', `${error.message}${cure}${more}`, {
    cause: error,
    details: { ...details },
  });
}
