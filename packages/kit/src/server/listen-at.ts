import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mustBe } from '@hdrscope/core/internal';
import { withoutBrackets } from './host.ts';

/** Where a server listens. */
export interface ListenAddress {
  /** A name or an address; `0.0.0.0` or `::` for all interfaces. */
  readonly host: string;
  /** An integer from 0 to 65535; 0 takes a free port. */
  readonly port: number;
}

const HIGHEST_PORT = 65_535;

/**
 * Checks an address before a server listens there.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the host is not a text or the port is out of range.
 */
export function assertAddress({ host, port }: ListenAddress): void {
  if (typeof host !== 'string' || host === '') {
    throw mustBe('ERR_INVALID_OPTION', 'host', 'a name or an address', host);
  }
  if (!Number.isInteger(port) || port < 0 || port > HIGHEST_PORT) {
    throw mustBe('ERR_INVALID_OPTION', 'port', `an integer from 0 to ${HIGHEST_PORT}`, port);
  }
}

/**
 * Makes a server listen. Rejects with the system's own error, such as `EADDRINUSE`, when it cannot.
 *
 * @param onError Gets errors of the server while it listens. @default they are ignored: a client whose connection cannot be
 *   accepted notices.
 * @returns The port.
 */
export function listenAt(
  server: Server,
  { host, port }: ListenAddress,
  onError: (error: Error) => void = () => {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: withoutBrackets(host), port }, () => {
      server.off('error', reject);
      server.on('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
