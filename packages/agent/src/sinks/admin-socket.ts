import { registryReplies, serveAdminSocket } from '@hdrscope/ceph';
import type { AdminSocketSinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** Serves the registry on a socket that answers like a daemon of Ceph. `agent health` reports how the agent is doing. */
export const startAdminSocket: Start<AdminSocketSinkConfig> = async (
  { path },
  { registry, health, shown },
) => {
  const socket = await serveAdminSocket({
    path,
    ...registryReplies(registry),
    commands: [
      {
        prefix: 'agent health',
        help: 'how the sources and sinks of this agent are doing',
        run: () => {
          const { entries, ...agent } = health();
          const named = entries.map((entry) => ({ ...entry, name: shown(entry.name) }));
          return JSON.parse(JSON.stringify({ ...agent, entries: named }));
        },
      },
    ],
  });
  return { note: path, stop: () => socket.close() };
};
