import type { Group } from '../group.ts';

/** `hdrscope ceph`: one module per command, loaded when it runs. */
export const CEPH: Group = {
  path: 'hdrscope ceph',
  description: `Reads the perf histograms of Ceph's daemons, and serves some of this program as Ceph does.

A daemon is asked through its admin socket, which takes its user or root; the ceph program is not
needed. A file is what a daemon has answered: the output of ceph daemon or ceph tell, a telemetry
report. - is standard input.`,
  commands: [
    {
      name: 'schema',
      summary: 'which histograms there are, and what they count',
      load: () => import('./schema.ts'),
    },
    {
      name: 'dump',
      summary: 'what was counted: percentiles and means of every axis',
      load: () => import('./dump.ts'),
    },
    {
      name: 'heatmap',
      summary: 'two axes of a histogram as a picture',
      load: () => import('./heatmap.ts'),
    },
    {
      name: 'watch',
      summary: 'what is counted from now on, lines for each interval',
      load: () => import('./watch.ts'),
    },
    {
      name: 'serve',
      summary: 'an admin socket to try: reads of this process, timed',
      load: () => import('./serve.ts'),
    },
  ],
  examples: [
    'hdrscope ceph dump /var/run/ceph/ceph-osd.0.asok',
    "hdrscope ceph dump ceph-osd.0.asok --where 'size=4KiB..8KiB'",
    'ceph tell osd.* perf histogram dump | hdrscope ceph heatmap -',
    'hdrscope ceph watch /var/run/ceph/ceph-osd.*.asok --interval 5s',
  ],
};
