import { type PerfReplies, type RunningAdminSocket, serveAdminSocket } from '@hdrscope/ceph';
import { OSD_SCHEMA } from '@hdrscope/testing/osd';

/** The text of a dump with one counter of one linear axis: an underflow, slots of 8 values from 0 on, an overflow. */
export function dumpOf(values: readonly (number | bigint)[], counter = 'op', others: object = {}): string {
  const axis = {
    name: 'Depth',
    min: 0,
    quant_size: 8,
    buckets: values.length,
    scale_type: 'linear',
    ...others,
  };
  return `{"osd":{"${counter}":{"axes":[${JSON.stringify(axis)}],"values":[${values.join(',')}]}}}`;
}

const running: RunningAdminSocket[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((socket) => socket.close()));
});

/** A daemon that answers each request for its dump with the next dump, and then with the last one again. */
export function serveDumps(path: string, dumps: readonly (string | Error)[]): Promise<RunningAdminSocket> {
  let asked = 0;
  return serve(path, {
    histograms: {
      schema: () => OSD_SCHEMA,
      dump: () => {
        const answer = dumps[Math.min(asked++, dumps.length - 1)]!;
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
}

/** Closed when the test ends. */
async function serve(path: string, replies: PerfReplies): Promise<RunningAdminSocket> {
  const socket = await serveAdminSocket({ path, ...replies });
  running.push(socket);
  return socket;
}
