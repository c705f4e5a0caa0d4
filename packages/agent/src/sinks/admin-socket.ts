import { registryReplies, serveAdminSocket } from '@hdrscope/ceph';
import { text } from '../config/values.ts';
import { defineSink, entry, type SinkPart } from '../part.ts';

/** Serves the registry on a socket that answers like a daemon of Ceph. `agent health` reports how the agent is doing. */
export const adminSocket: SinkPart = defineSink({
  schema: entry('admin-socket', 'The registry on a socket that answers like a daemon of Ceph.', {
    path: text('the path of a socket')
      .refine((path) => Buffer.byteLength(path) <= 107, {
        error: 'must be the path of a socket, at most 107 bytes long',
      })
      .describe('The path of the socket, of at most 107 bytes.'),
  }),
  example: `
# Asked by "ceph --admin-daemon PATH perf histogram dump", and by collectd.
- type: admin-socket
  path: /run/hdrscope/hdrscope.asok
`,
  async start({ path }, { registry, health, shown }) {
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
  },
});
