import type { Group } from '../group.ts';

/** `hdrscope ebpf`: one module per command, loaded when it runs. */
export const EBPF: Group = {
  path: 'hdrscope ebpf',
  description: `Reads the histograms that eBPF programs count in the kernel. It looks at maps and changes none.

A map is named by the path of its pin, by id:N or by name:X. The last two take root (CAP_SYS_ADMIN);
a pin of mode 0444 takes nothing.`,
  commands: [
    { name: 'list', summary: 'the maps that this user can see', load: () => import('./list.ts') },
    {
      name: 'read',
      summary: 'what a map has counted, as bars and percentiles',
      load: () => import('./read.ts'),
    },
    {
      name: 'watch',
      summary: 'what a map counts from now on, a line for each interval',
      load: () => import('./watch.ts'),
    },
    {
      name: 'runqueue',
      summary: 'how many tasks wait for a CPU, and how long: counted for some seconds',
      load: () => import('./runqueue.ts'),
    },
    { name: 'serve', summary: 'maps as metrics for Prometheus', load: () => import('./serve.ts') },
    {
      name: 'doctor',
      summary: 'what this user may read here, and what helps',
      load: () => import('./doctor.ts'),
    },
  ],
  examples: [
    'hdrscope ebpf doctor',
    'hdrscope ebpf read /sys/fs/bpf/queue_hist --layout queue-depth',
    'hdrscope ebpf watch name:latency_hist --unit ns --interval 5s',
  ],
};
