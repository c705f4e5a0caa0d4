/**
 * Why a server refused a request or closed a connection:
 * - `'token'`: the token is missing or wrong.
 * - `'host'`: the `Host` header names another host, or the client is on another machine.
 * - `'origin'`: a page of another site has sent the request.
 * - `'connections'`: there are too many connections. The closed one may be another than the new one.
 * - `'requests'`: too many requests are under way: the request waited too long for a place, or too many wait on one connection.
 * - `'headers'`: the headers are too large.
 * - `'body'`: the body is too large.
 * - `'malformed'`: it is not HTTP, or not TLS where the server has a certificate.
 * - `'timeout'`: the client or the answer took too long, or the client was slow while others waited.
 */
export type RefusalReason =
  | 'token'
  | 'host'
  | 'origin'
  | 'connections'
  | 'requests'
  | 'headers'
  | 'body'
  | 'malformed'
  | 'timeout';

/** How many requests and connections a server has refused, by reason. The counts only grow. */
export type ServerRefusals = Record<RefusalReason, number>;

const NONE: ServerRefusals = {
  token: 0,
  host: 0,
  origin: 0,
  connections: 0,
  requests: 0,
  headers: 0,
  body: 0,
  malformed: 0,
  timeout: 0,
};

/** All reasons, in the order in which they are shown. */
export const REFUSAL_REASONS: readonly RefusalReason[] = /* @__PURE__ */ Object.keys(NONE) as RefusalReason[];

/** Counts of a server that has refused nothing. */
export function noRefusals(): ServerRefusals {
  return { ...NONE };
}

/** Counts an error for which Node.js closes a connection, unless the client has only gone. */
export function countError(refusals: ServerRefusals, { code = '' }: NodeJS.ErrnoException): void {
  if (code === 'HPE_HEADER_OVERFLOW') refusals.headers++;
  else if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') refusals.body++;
  else if (code === 'ERR_HTTP_REQUEST_TIMEOUT' || code === 'ERR_TLS_HANDSHAKE_TIMEOUT') refusals.timeout++;
  // A client that goes within a request ends it at a wrong place.
  else if (code.startsWith('ERR_SSL_') || (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE'))
    refusals.malformed++;
}
