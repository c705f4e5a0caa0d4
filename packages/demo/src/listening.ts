import type { Server } from 'node:http';

/** Nothing here is meant for other machines. */
export const HOST = '127.0.0.1';

/** Where a server listens. */
export interface Listening {
  readonly port: number;
  /** Why it is not the port that was asked for, if it is not. */
  readonly obstacle: string | undefined;
}

/** Why a port cannot be had, by error code; any other failure is no matter of the port. */
const OBSTACLES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken',
  EACCES: 'needs privileges',
};

/** Starts to listen on the port that is wanted, or on a free one where that cannot be had. */
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

const PATIENCE_MS = 1000;

/** Stops to listen, and waits until what is being answered has been; connections that do not end are cut. */
export async function close(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timer);
}
