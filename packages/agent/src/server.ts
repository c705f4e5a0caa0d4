import { type GuardOptions, inUrl, isLoopback, type ServerLimits, type TlsFiles } from '@hdrscope/kit/server';
import * as z from '#zod';
import { address, duration, type ListenAddress, mapping, text, wholeNumber } from './config/values.ts';
import { type EntryContext, noteOnce } from './part.ts';

// The entries that are HTTP servers.

const LARGEST_LIMIT = 2 ** 31 - 1;

const count = wholeNumber(1, LARGEST_LIMIT).optional();
const time = duration.optional();

const limits: z.ZodType<Partial<ServerLimits>, unknown> = mapping({
  connections: count.describe('Open connections. The oldest one without a request is closed for a new one.'),
  connectionsOfAddress: count.describe('Open connections from one address of another machine.'),
  requests: count.describe('Requests whose answers have not begun. Others wait.'),
  pendingBytes: count.describe(
    'Bytes that clients have not taken, and of requests that are not answered. Beyond it, requests wait.',
  ),
  headersTimeout: time.describe('The time for the headers of a request.'),
  requestTimeout: time.describe('The time for a whole request.'),
  answerTimeout: time.describe('The time until an answer must begin.'),
  idleTimeout: time.describe('The time after which a connection is closed on which nothing moves.'),
})
  .prefault({})
  .transform(({ headersTimeout, requestTimeout, answerTimeout, idleTimeout, ...counts }) => {
    const times = {
      headersMs: headersTimeout,
      requestMs: requestTimeout,
      answerMs: answerTimeout,
      idleMs: idleTimeout,
    };
    const given = Object.entries({ ...counts, ...times }).filter(([, limit]) => limit !== undefined);
    // A duration may be less than a millisecond.
    return Object.fromEntries(given.map(([name, limit]) => [name, Math.ceil(limit!)]));
  })
  .describe('Limits that differ from those of every server of hdrscope.');

/** The keys of every HTTP server. */
type ServerShape = {
  readonly listen: z.ZodPrefault<typeof address>;
  readonly token: z.ZodOptional<z.ZodString>;
  readonly allowedHosts: z.ZodDefault<z.ZodArray<z.ZodString>>;
  readonly limits: typeof limits;
  readonly tls: z.ZodOptional<z.ZodType<TlsFiles, unknown>>;
};

/** @param listen The default of the address. */
export function serverKeys(listen: string): ServerShape {
  return { listen: address.prefault(listen).describe('The address of the server.'), ...OTHER_KEYS };
}

const OTHER_KEYS = {
  token: z
    .string({ error: 'must be a text' })
    .regex(/^[\w.~-]{16,}$/, { error: 'must be at least 16 letters, digits and -._~' })
    .optional()
    .describe('The password of clients, which send "Authorization: Bearer TOKEN". Default: no token.'),
  allowedHosts: z
    .array(text('the name of a host'), { error: 'must be a list of names of hosts' })
    .default([])
    .describe(
      'Names besides loopback names by which clients may call a server that listens on loopback, such as the name of a proxy.',
    ),
  limits,
  tls: mapping({
    certFile: text('the path of a certificate in PEM').describe('The certificate, in PEM.'),
    keyFile: text('the path of a private key in PEM').describe('The private key, in PEM.'),
  })
    .optional()
    .describe('Files for HTTPS. They are read again when they change. Default: plain HTTP.'),
};

/** The keys of an entry that is an HTTP server. Health is at `/healthz`, without a token. */
export interface ServerConfig {
  readonly listen: ListenAddress;
  readonly token?: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly limits: Partial<ServerLimits>;
  readonly tls?: TlsFiles | undefined;
}

/**
 * The protection that a configuration asks for, for a server of any package. Options that it does not name are left out. The refusals
 * of the server count in the health of its entry.
 */
export function guardOptions(
  { token, allowedHosts, limits, tls }: ServerConfig,
  { refusals }: Pick<EntryContext, 'refusals'>,
): GuardOptions {
  return {
    refusals,
    ...(token !== undefined && { token }),
    ...(allowedHosts.length > 0 && { allowedHosts }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(tls !== undefined && { tls }),
  };
}

/** The URL of a server. */
export function formatUrl({ listen, tls }: ServerConfig, port: number, path: string): string {
  return `${tls === undefined ? 'http' : 'https'}://${inUrl(listen.host)}:${port}${path}`;
}

/**
 * Logs, once for each address, that other machines use a server without a token.
 *
 * @param may What everybody may do who reaches the port.
 */
export function noteOpenServer({ listen, token }: ServerConfig, may: string, context: EntryContext): void {
  if (token !== undefined || isLoopback(listen.host)) return;
  noteOnce(`${listen.host}:${listen.port} has no token: everybody who reaches this port ${may}`, context);
}
