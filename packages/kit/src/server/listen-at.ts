import type { AddressInfo, Server } from 'node:net';
import { filledText, integer, type OptionRule } from '@hdrscope/core/internal';
import { withoutBrackets } from './host.ts';

/** Where a server listens. */
export interface ListenAddress {
  /** A name or an address; `0.0.0.0` or `::` for all interfaces. */
  readonly host: string;
  /** An integer from 0 to 65535; 0 takes a free port. */
  readonly port: number;
}

/** The rule of the address that a server listens at. */
export const host: OptionRule<string> = filledText('a name or an address');

/** The rule of a port. Each server has its own default. */
export const port: OptionRule<number> = integer({ from: 0, to: 65_535 });

/**
 * How many new connections wait while the event loop is busy. With the 511 of Node.js, a crowd fills them within a long task, and the
 * system lets others try again after 1, 3, 7 … seconds. The system may have a lower limit.
 */
const BACKLOG = 4096;

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
    // A worker of a cluster would share the port with others in silence, and each request would find another one's answer.
    server.listen({ host: withoutBrackets(host), port, backlog: BACKLOG, exclusive: true }, () => {
      server.off('error', reject);
      server.on('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
