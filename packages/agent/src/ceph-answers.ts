import type { CephIngestion } from '@hdrscope/ceph';
import type { MetricFamily } from '@hdrscope/prometheus';

/**
 * How old the answers of Ceph's daemons are, for Prometheus: as the last gather has found them, since a scrape asks for them at once. No
 * family before the first gather.
 */
export function answerAges(ingestions: Iterable<Pick<CephIngestion, 'answers'>>): MetricFamily[] {
  const answers = [...ingestions].flatMap((ingestion) => ingestion.answers);
  if (answers.length === 0) return [];
  return [
    {
      name: 'hdrscope_ceph_answer_age_seconds',
      help: 'Seconds from the last answer of a daemon of Ceph to the last reading: its counts are those of then',
      unit: 's',
      type: 'gauge',
      metrics: answers.map(({ daemon, ageSeconds }) => ({
        labels: daemon === '' ? [] : [['ceph_daemon', daemon]],
        value: { kind: 'number', value: ageSeconds },
      })),
    },
  ];
}
