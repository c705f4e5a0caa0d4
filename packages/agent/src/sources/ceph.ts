import { askAdminSocket, cephHistograms } from '@hdrscope/ceph';
import type { CephSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** A daemon of Ceph, asked at every gather. */
export const startCeph: Start<CephSourceConfig> = async (config, { registry, intake, perfHistograms }) => {
  const { name, socket, timeout, units, classes, attributes, since } = config;
  const fetch = (): Promise<string> =>
    askAdminSocket(socket, 'perf histogram dump', {}, { timeoutMs: timeout });
  const ceph = cephHistograms(registry, fetch, {
    ...intake(`ceph ${socket}`),
    since,
    units,
    attributes,
    // The daemon has its time; a gather waits a little longer, so that the error says what is wrong.
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
