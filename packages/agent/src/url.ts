import type { ListenAddress } from './config/types.ts';

/** Where a server of this machine is found. */
export function urlOf({ host, port }: ListenAddress, path = '/'): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}
