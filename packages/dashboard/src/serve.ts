import { createServer, type Server } from 'node:http';
import { closeServer } from '@hdrscope/kit';
import type { Registry } from '@hdrscope/registry';
import { dashboardHandler } from './handler.ts';
import { addressOf, type ServeDashboardOptions } from './options.ts';

/** A running server of the page. */
export interface RunningDashboard {
  /** The address of the page, without the token. */
  readonly url: string;
  readonly port: number;
  /** Ends all connections and stops gathering the registry. Never rejects. */
  close(): Promise<void>;
}

// An unfinished request holds a connection.
const REQUEST_TIMEOUT_MS = 120_000;
const MOST_CONNECTIONS = 500;

/**
 * Serves a live page over a registry, on a server of its own that does not keep the process alive: a table of all series,
 * percentile curves, percentiles over time and heat maps, updated every second by server-sent events. Rejects when the server
 * cannot listen.
 *
 * Only this machine sees the page, unless `host` names another one, which needs a `token`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { serveDashboard } from '@hdrscope/dashboard';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'rpc.duration', unit: 's' }).with({ method: 'get' }).record(0.012);
 *
 * const dashboard = await serveDashboard(registry, { port: 0 });
 * dashboard.url === `http://localhost:${dashboard.port}/`; //=> true
 * await dashboard.close();
 * ```
 */
export async function serveDashboard(
  registry: Registry,
  options: ServeDashboardOptions = {},
): Promise<RunningDashboard> {
  const { host, port: wantedPort, page } = addressOf(options);
  const dashboard = dashboardHandler(registry, page);
  const server = createServer(dashboard.handle).unref();
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connection', (socket) => socket.unref());
  try {
    const port = await listen(server, host, wantedPort);
    return {
      url: `http://${host.includes(':') ? `[${host.replaceAll(/[[\]]/g, '')}]` : host}:${port}/`,
      port,
      async close() {
        dashboard.close();
        await closeServer(server);
      },
    };
  } catch (error) {
    dashboard.close();
    throw error;
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: host.replaceAll(/[[\]]/g, ''), port }, () => {
      server.off('error', reject);
      server.on('error', () => {});
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
