import { OSD_SCHEMA } from '@hdrscope/testing/osd';
import { dumpOf, serveDumps } from '../support/ceph-daemon.ts';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

test('lists the counters of a daemon and of a file', async () => {
  const socket = await serveDumps(folder.pathOf('ceph-osd.0.asok'), [dumpOf([0])]);
  for (const input of [socket.path, folder.write('schema.json', OSD_SCHEMA)]) {
    const { exitCode, stdout, stderr } = await hdrscope(['ceph', 'schema', input]);
    expect([exitCode, stderr]).toEqual([0, '']);
    const [head, ...rows] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(head).toEqual(['logger', 'counter', 'type', 'priority', 'what it counts']);
    expect(rows).toHaveLength(4);
    expect(rows[0]).toEqual([
      'osd',
      'op_r_latency_out_bytes_histogram',
      '26',
      '5',
      'Histogram of operation latency (including queue time) + data read',
    ]);
  }
});

test('names each of several daemons, and prints a dash for an unknown field', async () => {
  const stdin = 'osd.0: {"osd":{"op":{"type":18}}}\nosd.1: {"osd":{"op":{"type":26,"priority":7}}}';
  const { stdout } = await hdrscope(['ceph', 'schema', '-'], { stdin });
  expect(stdout.split('\n').slice(1, 3)).toEqual([
    'osd.0   osd     op         18         -  -',
    'osd.1   osd     op         26         7  -',
  ]);
});

test('--json prints every field, and null for an unknown one', async () => {
  const { stdout } = await hdrscope(['ceph', 'schema', '--json', '-'], {
    stdin: '{"osd":{"op":{"type":26}}}',
  });
  expect(JSON.parse(stdout)).toEqual([
    {
      source: 'standard input',
      logger: 'osd',
      counter: 'op',
      type: 26,
      description: null,
      nick: null,
      priority: null,
      metricType: null,
      valueType: null,
      units: null,
    },
  ]);
});

test('reports a daemon without histograms', async () => {
  const { exitCode, stdout, stderr } = await hdrscope(['ceph', 'schema', '-'], { stdin: '{"cct":{}}' });
  expect([exitCode, stdout]).toEqual([0, '']);
  expect(stderr).toBe("hdrscope: there are no histograms; among Ceph's daemons, OSDs have some\n");
});

test('refuses a text that is not a schema, with the name of the input', async () => {
  const path = folder.write('wrong.json', '{"osd":{"op":7}}');
  const { exitCode, stderr } = await hdrscope(['ceph', 'schema', path]);
  expect([exitCode, stderr]).toEqual([
    1,
    "hdrscope: wrong.json: osd.op must be an object, got 7: this is the answer to 'perf dump', which has no histograms; 'perf histogram schema' is the command to ask the daemon\n",
  ]);
});

test('lines beside a schema are reported', async () => {
  const stdin = `${OSD_SCHEMA}\nend of the report\n`;
  const { exitCode, stderr } = await hdrscope(['ceph', 'schema', '-', '--json'], { stdin });
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringMatching(/^hdrscope: standard input: skipped, .*, "end of the report"\n$/),
  ]);
});
