import type { ListenAddress } from './config/types.ts';

/** The URL of a server on this machine. */
export function urlOf({ host, port }: ListenAddress, path = '/'): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}
