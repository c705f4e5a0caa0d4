import { type GuardOptions, inUrl, isLoopback } from '@hdrscope/kit/server';
import type { ServerConfig } from './config/types.ts';
import type { EntryContext } from './entry.ts';
import { noteOnce } from './note-once.ts';

/**
 * The protection that a configuration asks for, for a server of any package. Options that it does not name are left out. The refusals
 * of the server count in the health of its entry.
 */
export function guardOf(
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
export function urlOf({ listen, tls }: ServerConfig, port: number, path: string): string {
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
