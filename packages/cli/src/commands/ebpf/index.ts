import type { Group } from '../../command-module.ts';

/** `hdrscope ebpf`: one module for each command, loaded when it runs. */
export const group: Group = {
  path: 'hdrscope ebpf',
  description: `Reads the histograms that eBPF programs count in the kernel. It never changes a map.

A map is named by the path of its pin, by id:N or by name:X. The last two take root (CAP_SYS_ADMIN);
a pin of mode 0444 takes no rights.`,
  commands: [
    { name: 'list', summary: 'lists the maps that this user can see', load: () => import('./list.ts') },
    {
      name: 'read',
      summary: 'shows the counts of a map as bars and percentiles',
      load: () => import('./read.ts'),
    },
    {
      name: 'watch',
      summary: 'shows what a map counts from now on, a line for each interval',
      load: () => import('./watch.ts'),
    },
    {
      name: 'heatmap',
      summary: 'draws what a map counts from now on, over time',
      load: () => import('./heatmap.ts'),
    },
    {
      name: 'runqueue',
      summary: 'counts for some seconds how many tasks wait for a CPU, and how long',
      load: async () => (await import('./count.ts')).runqueue,
    },
    {
      name: 'blockio',
      summary: 'counts for some seconds how long block devices take for requests',
      load: async () => (await import('./count.ts')).blockio,
    },
    {
      name: 'tcprtt',
      summary: 'counts for some seconds the round-trip times of TCP connections',
      load: async () => (await import('./count.ts')).tcprtt,
    },
    { name: 'serve', summary: 'serves maps as metrics for Prometheus', load: () => import('./serve.ts') },
    {
      name: 'doctor',
      summary: 'checks what this user may read here, and shows what helps',
      load: () => import('./doctor.ts'),
    },
  ],
  examples: [
    'hdrscope ebpf doctor',
    'hdrscope ebpf read /sys/fs/bpf/queue_hist --layout queue-depth',
    'hdrscope ebpf watch name:latency_hist --unit ns --interval 5s',
  ],
};
