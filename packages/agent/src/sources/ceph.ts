import { askAdminSocket, cephSource } from '@hdrscope/ceph';
import type { CephSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import { sinceOf } from './since.ts';

/** A daemon of Ceph, asked at every gather. */
export const startCeph: Start<CephSourceConfig> = async (config, context) => {
  const { registry, memory, perfHistograms } = context;
  const { name, socket, timeout, units, classes, attributes } = config;
  const since = sinceOf(memory, `ceph ${socket}`, config.since);
  const source = cephSource({
    name,
    fetch: async () => {
      const dump = await askAdminSocket(socket, 'perf histogram dump', {}, { timeoutMs: timeout });
      since.seen();
      return dump;
    },
    since: since.start,
    units,
    attributes,
    ...(classes !== undefined && { classes }),
  });
  // The daemon has its time; what a gather waits for is a little more, so that the error says what is wrong.
  const remove = registry.add(source, { timeoutMs: timeout + 1000 });
  perfHistograms.set(name, () => source.latest);
  return {
    note: socket,
    stop: async () => {
      perfHistograms.delete(name);
      remove();
    },
  };
};
