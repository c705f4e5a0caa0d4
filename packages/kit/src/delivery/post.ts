import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { causeOf } from './said.ts';
import { type SenderTlsFiles, tlsOptionsOf } from './tls.ts';

/** A request and its limits. */
export interface PostedRequest {
  /** `http:` or `https:`. */
  readonly url: URL;
  /** Headers of the request. `content-length` is added. */
  readonly headers: Readonly<Record<string, string>>;
  /** Files for `https:`; `http:` ignores them. */
  readonly tls: SenderTlsFiles;
  /** The body. */
  readonly bytes: Uint8Array;
  /** The longest time for connecting, sending and the answer together. */
  readonly timeoutMs: number;
  /** Cuts the request off. */
  readonly signal: AbortSignal;
}

/**
 * The result of a request:
 * - `'answered'`: the receiver has judged it.
 * - `'refused'`: the receiver certainly does not have it. `isCut` says that the connection broke while the body was being sent, as
 *   when a receiver does not want to read a body of its size.
 * - `'unknown'`: the receiver may have it.
 */
export type PostOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** Not more than a little over `MOST_ANSWER_BYTES` of it. */
      readonly body: Buffer;
    }
  | { readonly kind: 'refused'; readonly isCut?: boolean; readonly reason: string; readonly cause?: unknown }
  | { readonly kind: 'unknown'; readonly reason: string; readonly cause?: unknown };

/**
 * Whether a receiver may have a request that was answered with a status other than success. A proxy gives 408, 429 and any status but 4xx
 * also after the receiver behind it has taken the request.
 *
 * @param status From 300 to 599.
 */
export function mayBeTaken(status: number): boolean {
  return status < 400 || status >= 500 || status === 408 || status === 429;
}

/** Answers are small. The rest of a larger one is not read. */
export const MOST_ANSWER_BYTES = 65_536;

/** Sends a POST request, with a connection of its own. Never rejects. */
export function post({ url, headers, tls, bytes, timeoutMs, signal }: PostedRequest): Promise<PostOutcome> {
  const isSecure = url.protocol === 'https:';
  return new Promise<PostOutcome>((resolve) => {
    let isConnected = false;
    /** Whether the system has taken the whole request. */
    let isSent = false;
    let answered: IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (outcome: PostOutcome): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
      request.destroy();
    };
    const endAnswered = ({ statusCode = 0, headers }: IncomingMessage): void =>
      end({ kind: 'answered', status: statusCode, headers, body: Buffer.concat(chunks) });
    const failed = (reason: string, cause?: unknown): void => {
      // The status decides: whatever happens to the rest of the answer, the receiver has judged the request.
      if (answered !== undefined) endAnswered(answered);
      else end({ kind: isConnected ? 'unknown' : 'refused', reason, cause });
    };
    const onAbort = (): void => failed('the request was cut off, because the sender was closed');
    const onBroken = (cause: unknown): void => {
      const reason = `the request has failed: ${causeOf(cause)}`;
      const isCut = isConnected && answered === undefined && !isSent;
      if (isCut) end({ kind: 'refused', isCut, reason, cause });
      else failed(reason, cause);
    };
    const request = (isSecure ? requestHttps : requestHttp)(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': bytes.length },
      ...(isSecure && tlsOptionsOf(tls)),
    });
    const timer = setTimeout(() => failed(`the receiver has not answered within ${timeoutMs} ms`), timeoutMs);
    signal.addEventListener('abort', onAbort);
    request.on('socket', (socket: Socket) => {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        isConnected = true;
      });
    });
    request.on('finish', () => {
      isSent = true;
    });
    request.on('error', onBroken);
    request.on('response', (response) => {
      answered = response;
      response.on('error', onBroken);
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MOST_ANSWER_BYTES) endAnswered(response);
      });
      response.on('end', () => endAnswered(response));
    });
    request.end(bytes);
    if (signal.aborted) onAbort();
  }).catch((cause: unknown) => ({
    kind: 'refused',
    reason: `the request cannot be made: ${causeOf(cause)}`,
    cause,
  }));
}
