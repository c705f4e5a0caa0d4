import { daemonFamilies } from '../src/internal.ts';

function linesOf(
  answers: Parameters<typeof daemonFamilies>[0] extends Iterable<infer One> ? One : never,
): string[] {
  return daemonFamilies([answers]).flatMap(({ name, metrics }) =>
    metrics.map(({ labels, value }) => JSON.stringify([name, Object.fromEntries(labels), value])),
  );
}

test('answers have ages, and OSDs have a series for each of their pools', () => {
  const answers = [
    { daemon: 'osd.0', ageSeconds: 0, poolIds: [1, 12] },
    { daemon: 'osd.1', ageSeconds: 2.5, poolIds: [] },
    { daemon: '', ageSeconds: 1 },
  ];
  const line = (name: string, labels: object, value: number): string =>
    JSON.stringify([`hdrscope_ceph_${name}`, labels, { kind: 'number', value }]);
  expect(linesOf({ answers })).toEqual([
    line('answer_age_seconds', { ceph_daemon: 'osd.0' }, 0),
    line('answer_age_seconds', { ceph_daemon: 'osd.1' }, 2.5),
    line('answer_age_seconds', {}, 1),
    line('mapped_pool', { ceph_daemon: 'osd.0', pool_id: '1' }, 1),
    line('mapped_pool', { ceph_daemon: 'osd.0', pool_id: '12' }, 1),
  ]);
});

test('there is no family without a series', () => {
  expect(daemonFamilies([{ answers: [] }])).toEqual([]);
  expect(daemonFamilies([{ answers: [{ daemon: 'mon.a', ageSeconds: 0 }] }]).map(({ name }) => name)).toEqual(
    ['hdrscope_ceph_answer_age_seconds'],
  );
});
