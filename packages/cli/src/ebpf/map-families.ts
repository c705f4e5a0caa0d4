import type { KernelIngestion } from '@hdrscope/ebpf';
import type { MetricFamily } from '@hdrscope/prometheus';
import type { MapState } from './map-state.ts';
import { isProgram } from './program-argument.ts';

const LONGEST_REASON = 300;

/** A map that is served. */
interface Served {
  readonly state: MapState;
  readonly histograms: Pick<KernelIngestion, 'health'>;
}

/** How the served maps are doing, as metrics: whether each could be read by this scrape, why not, and what programs missed. */
export function mapFamilies(served: readonly Served[]): MetricFamily[] {
  const states = served.map(({ state }) => state);
  const programs = served.filter(({ state }) => isProgram(state.argument));
  const up = states.map((state) => metric({ map: state.argument }, state.problem === undefined ? 1 : 0));
  const problems = states.flatMap(({ argument: map, problem }) =>
    problem === undefined ? [] : [metric({ map, reason: problem.slice(0, LONGEST_REASON) }, 1)],
  );
  return [
    gauge('hdrscope_ebpf_map_up', 'Whether the last read of an eBPF map succeeded', up),
    ...(problems.length === 0
      ? []
      : [gauge('hdrscope_ebpf_map_problem', 'Why an eBPF map cannot be read', problems)]),
    ...(programs.length === 0 ? [] : [missedFamily(programs)]),
  ];
}

function missedFamily(programs: readonly Served[]): MetricFamily {
  const help = 'Values that a program could not measure, because their beginning was not seen';
  const metrics = programs.map(({ state, histograms }) =>
    metric({ map: state.argument }, histograms.health.missed),
  );
  return { ...gauge('hdrscope_ebpf_missed', help, metrics), type: 'counter' };
}

function gauge(name: string, help: string, metrics: MetricFamily['metrics']): MetricFamily {
  return { name, help, unit: '', type: 'gauge', metrics };
}

function metric(labels: Readonly<Record<string, string>>, value: number): MetricFamily['metrics'][number] {
  return { labels: Object.entries(labels), timestampMs: undefined, value: { kind: 'number', value } };
}
