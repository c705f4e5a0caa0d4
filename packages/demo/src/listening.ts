import type { Server } from 'node:http';

/** Loopback: the demo serves only its own machine. */
export const HOST = '127.0.0.1';

/** Where a server listens. */
export interface Listening {
  readonly port: number;
  /** Why the server does not use the requested port, or `undefined` when it does. */
  readonly obstacle: string | undefined;
}

/** Why a port is unavailable, by error code. Other failures do not depend on the port. */
const OBSTACLES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken',
  EACCES: 'needs privileges',
};

/** Listens on the wanted port, or on a free one when that is unavailable. */
export async function listen(server: Server, wantedPort: number): Promise<Listening> {
  try {
    return { port: await tryPort(server, wantedPort), obstacle: undefined };
  } catch (error) {
    const obstacle = OBSTACLES[(error as NodeJS.ErrnoException).code ?? ''];
    if (obstacle === undefined || wantedPort === 0) throw error;
    return { port: await tryPort(server, 0), obstacle: `port ${wantedPort} ${obstacle}` };
  }
}

function tryPort(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
