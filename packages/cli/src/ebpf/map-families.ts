import type { MetricFamily } from '@hdrscope/prometheus';
import type { MapState } from './map-state.ts';

const LONGEST_REASON = 300;

/** How the served maps are doing, as metrics: whether each could be read by this scrape, and why not. */
export function mapFamilies(states: readonly MapState[]): MetricFamily[] {
  const up = states.map((state) => metric({ map: state.argument }, state.problem === undefined ? 1 : 0));
  const problems = states.flatMap(({ argument: map, problem }) =>
    problem === undefined ? [] : [metric({ map, reason: problem.slice(0, LONGEST_REASON) }, 1)],
  );
  return [
    gauge('hdrscope_ebpf_map_up', 'Whether the last read of an eBPF map succeeded', up),
    ...(problems.length === 0
      ? []
      : [gauge('hdrscope_ebpf_map_problem', 'Why an eBPF map cannot be read', problems)]),
  ];
}

function gauge(name: string, help: string, metrics: MetricFamily['metrics']): MetricFamily {
  return { name, help, unit: '', type: 'gauge', metrics };
}

function metric(labels: Readonly<Record<string, string>>, value: number): MetricFamily['metrics'][number] {
  return { labels: Object.entries(labels), timestampMs: undefined, value: { kind: 'number', value } };
}
