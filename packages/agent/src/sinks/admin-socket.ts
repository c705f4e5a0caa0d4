import { registryReplies, serveAdminSocket } from '@hdrscope/ceph';
import type { AdminSocketSinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** Serves the registry on a socket that answers like a daemon of Ceph. `agent health` reports how the agent is doing. */
export const startAdminSocket: Start<AdminSocketSinkConfig> = async ({ path }, { registry, health }) => {
  const socket = await serveAdminSocket({
    path,
    ...registryReplies(registry),
    commands: [
      {
        prefix: 'agent health',
        help: 'how the sources and sinks of this agent are doing',
        run: () => JSON.parse(JSON.stringify(health())),
      },
    ],
  });
  return { note: path, stop: () => socket.close() };
};
