import { closeServer } from '@hdrscope/kit';
import {
  createGuardedServer,
  inUrl,
  limitsOf,
  listenAt,
  noRefusals,
  type ServerLimits,
  type ServerRefusals,
} from '@hdrscope/kit/server';
import type { DashboardData } from './feed.ts';
import { handlerOf } from './handler.ts';
import { addressOf, type ServeDashboardOptions } from './options.ts';

/** A running server of the page. */
export interface RunningDashboard {
  /** The address of the page, without the token. */
  readonly url: string;
  /** The TCP port that the server listens on. */
  readonly port: number;
  /** How many requests and connections it has refused, by reason. The page shows them. */
  readonly refusals: Readonly<ServerRefusals>;
  /** Ends all connections and stops gathering the registry. Never rejects. */
  close(): Promise<void>;
}

// Files take longer than other requests.
const LIMITS: Partial<ServerLimits> = { requestMs: 120_000, answerMs: 180_000 };

/**
 * Serves a live page over a registry, on a server of its own that does not keep the process alive: a table of all series,
 * percentile curves, percentiles over time and heat maps, updated every second by server-sent events. Rejects when the server
 * cannot listen.
 *
 * Only this machine sees the page, unless `host` names another one, which needs a `token`. At `/healthz` the server answers 200 to
 * everybody.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it. The system's error when a file of
 *   `tls` cannot be read.
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
  shown: DashboardData,
  options: ServeDashboardOptions = {},
): Promise<RunningDashboard> {
  const { host, port: wantedPort, page, guard } = addressOf(options);
  const limits = limitsOf({ ...LIMITS, ...guard.limits });
  // A stream of events must not be idle for long enough to be cut.
  const { refusals = noRefusals() } = guard;
  const dashboard = handlerOf(shown, '/', page, { beatMs: Math.ceil(limits.idleMs / 3), refusals });
  try {
    const server = createGuardedServer(dashboard.handle, {
      host,
      limits,
      tls: guard.tls,
      refusals,
      unref: true,
      ownAccess: true,
    });
    const port = await listenAt(server, { host, port: wantedPort });
    return {
      url: `${guard.tls === undefined ? 'http' : 'https'}://${inUrl(host)}:${port}/`,
      port,
      refusals,
      async close() {
        const isWritten = dashboard.close();
        await closeServer(server);
        await isWritten;
      },
    };
  } catch (error) {
    await dashboard.close();
    throw error;
  }
}
