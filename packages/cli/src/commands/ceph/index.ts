import type { Group } from '../../command-module.ts';

/** `hdrscope ceph`: one module per command, loaded when it runs. */
export const group: Group = {
  path: 'hdrscope ceph',
  description: `Reads the perf histograms of Ceph's daemons, and serves histograms as a daemon does.

A daemon is read through its admin socket, by root or the user of the daemon, without the ceph program.
A folder stands for the sockets in it. A file holds the answer of a daemon: the output of ceph daemon or
ceph tell in JSON or XML, or a telemetry report.
- is standard input.`,
  commands: [
    {
      name: 'schema',
      summary: 'lists histograms, and what they count',
      load: () => import('./schema.ts'),
    },
    {
      name: 'dump',
      summary: 'prints percentiles and means of every axis',
      load: () => import('./dump.ts'),
    },
    {
      name: 'top',
      summary: 'shows the latency of a cluster, and its slowest OSDs',
      load: () => import('./top.ts'),
    },
    {
      name: 'heatmap',
      summary: 'draws two axes of a histogram',
      load: () => import('./heatmap.ts'),
    },
    {
      name: 'watch',
      summary: 'prints the values of each interval, from now on',
      load: () => import('./watch.ts'),
    },
    {
      name: 'serve',
      summary: 'serves daemons to Prometheus, or an admin socket for trying out',
      load: () => import('./serve.ts'),
    },
  ],
  examples: [
    'hdrscope ceph dump /var/run/ceph/ceph-osd.0.asok',
    "hdrscope ceph dump ceph-osd.0.asok --where 'size=4KiB..8KiB'",
    'ceph tell osd.* perf histogram dump | hdrscope ceph heatmap -',
    'hdrscope ceph watch /var/run/ceph/ceph-osd.*.asok --interval 5s',
    'hdrscope ceph top /var/run/ceph',
  ],
};
