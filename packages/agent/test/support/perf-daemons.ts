import { formatHistogramDump, type PerfHistogram, serveAdminSocket } from '@hdrscope/ceph';
import type { World } from './agents.ts';

/** Serves histograms of the logger `osd` on an admin socket, as an OSD does. Returns the path of the socket. */
export async function serveOsd(
  world: World,
  name: string,
  counters: Readonly<Record<string, PerfHistogram>>,
): Promise<string> {
  const path = world.pathOf(`${name}.asok`);
  const loggers = [
    {
      name: 'osd',
      counters: Object.entries(counters).map(([counter, histogram]) => ({ name: counter, histogram })),
    },
  ];
  const socket = await serveAdminSocket({
    path,
    histograms: {
      schema: () => '{}',
      dump: (filter, format) => formatHistogramDump(loggers, { ...filter, format }),
    },
  });
  world.atEnd(() => socket.close());
  return path;
}
