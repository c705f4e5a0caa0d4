import type { CephIngestion } from '@hdrscope/ceph';
import type { MetricFamily } from '@hdrscope/prometheus';

/** The times since the last answers of Ceph's daemons, for Prometheus. One family for all ingestions, without samples before an answer. */
export function answerAges(ingestions: Iterable<Pick<CephIngestion, 'answers'>>): MetricFamily[] {
  const answers = [...ingestions].flatMap((ingestion) => ingestion.answers);
  if (answers.length === 0) return [];
  return [
    {
      name: 'hdrscope_ceph_answer_age_seconds',
      help: 'Seconds since a daemon of Ceph has answered: its counts are those of then',
      unit: 's',
      type: 'gauge',
      metrics: answers.map(({ daemon, ageSeconds }) => ({
        labels: daemon === '' ? [] : [['ceph_daemon', daemon]],
        value: { kind: 'number', value: ageSeconds },
      })),
    },
  ];
}
