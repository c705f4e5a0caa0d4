import { askAdminSocket, cephHistograms } from '@hdrscope/ceph';
import type { CephSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** A daemon of Ceph. Every gather asks it. */
export const startCeph: Start<CephSourceConfig> = async (config, { registry, intake, perfHistograms }) => {
  const { name, socket, timeout, units, classes, attributes, since } = config;
  const fetch = (): Promise<string> =>
    askAdminSocket(socket, 'perf histogram dump', {}, { timeoutMs: timeout });
  const ceph = cephHistograms(registry, fetch, {
    ...intake(`ceph ${socket}`),
    since,
    units,
    attributes,
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
