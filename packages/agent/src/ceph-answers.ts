import type { CephIngestion } from '@hdrscope/ceph';
import type { MetricFamily } from '@hdrscope/prometheus';

/**
 * What is known of Ceph's daemons beside their histograms, for Prometheus: how old their answers are, and the pools of OSDs. It is as the
 * last gather has found it, since a scrape asks for it at once. No family before the first gather.
 */
export function daemonFamilies(ingestions: Iterable<Pick<CephIngestion, 'answers'>>): MetricFamily[] {
  const answers = [...ingestions].flatMap((ingestion) => ingestion.answers);
  const ages = answers.map(({ daemon, ageSeconds }) => metricOf(daemon, {}, ageSeconds));
  const pools = answers.flatMap(({ daemon, poolIds = [] }) =>
    poolIds.map((id) => metricOf(daemon, { pool_id: String(id) }, 1)),
  );
  return [
    {
      name: 'hdrscope_ceph_answer_age_seconds',
      help: 'Seconds from the last answer of a daemon of Ceph to the last reading: its counts are those of then',
      unit: 's',
      type: 'gauge' as const,
      metrics: ages,
    },
    {
      name: 'hdrscope_ceph_mapped_pool',
      help: 'Pools whose placement groups an OSD has: 1 for each',
      unit: '',
      type: 'gauge' as const,
      metrics: pools,
    },
  ].filter(({ metrics }) => metrics.length > 0);
}

function metricOf(
  daemon: string,
  others: Readonly<Record<string, string>>,
  value: number,
): MetricFamily['metrics'][number] {
  const labels = { ...(daemon !== '' && { ceph_daemon: daemon }), ...others };
  return { labels: Object.entries(labels), value: { kind: 'number', value } };
}
