import { stat } from 'node:fs/promises';
import { type CephDaemon, daemonsAt, ingestCephDaemons } from '@hdrscope/ceph';
import type { CephSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** Daemons of Ceph: one, or those whose sockets are in a folder. Every gather asks them. */
export const startCeph: Start<CephSourceConfig> = async (config, { registry, intake, perfHistograms }) => {
  const { name, socket, timeout, units, classes, merged, attributes, since } = config;
  // The attributes of the source name an only daemon.
  const list = async (): Promise<CephDaemon[]> => {
    const isFolder = (await stat(socket).catch(() => undefined))?.isDirectory() === true;
    const daemons = await daemonsAt(socket, { timeoutMs: timeout });
    if (daemons.length === 0)
      throw new Error(`${socket} has no sockets: none of its files is a socket whose name ends in .asok`);
    return isFolder ? daemons : daemons.map(({ ask, life }) => ({ ask, ...(life && { life }) }));
  };
  const ceph = ingestCephDaemons(registry, list, {
    ...intake(`ceph ${socket}`),
    since,
    units,
    attributes,
    merged,
    // A gather waits a little longer than the request, so the error of the request is the one that is reported.
    timeoutMs: timeout + 1000,
    ...(classes !== undefined && { classes }),
  });
  perfHistograms.set(name, () => ceph.latest);
  return {
    note: socket,
    async stop() {
      perfHistograms.delete(name);
      await ceph.close();
    },
  };
};
