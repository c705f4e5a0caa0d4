import { type AdminCommand, askAdminSocket } from '../../src/index.ts';
import { useSockets } from './support/sockets.ts';

// The texts are those that an OSD of Ceph 16.2.15 sent, or parts of them.

const sockets = useSockets();

const cacheDrop: AdminCommand = { prefix: 'cache drop', help: "omap's <count> & size", run: () => undefined };

async function answers(prefix: string, args: Record<string, string> = {}): Promise<Record<string, string>> {
  const { path } = await sockets.serve({
    version: {
      version: '16.2.15',
      release: 'pacific',
      releaseType: 'stable',
      gitVersion: '618f440892089921c3e944a991122ddc44e60516',
    },
    commands: [cacheDrop],
    reset: () => false,
    numbers: () => ({
      osd: {
        op_w_in_bytes: {
          kind: 'counter',
          value: 6_524_928,
          units: 'bytes',
          description: 'Client data written',
        },
        op_w_latency: { kind: 'average', real: true, count: 1593, sum: 0.736421376 },
      },
      cct: {},
    }),
  });
  const formats = ['json', 'json-pretty', 'xml', 'xml-pretty', 'plain'];
  const texts = formats.map((format) => askAdminSocket(path, prefix, { ...args, format }));
  return Object.fromEntries((await Promise.all(texts)).map((text, at) => [formats[at]!, text]));
}

test('version has all formats', async () => {
  const pretty = '{\n    "version": "16.2.15",\n    "release": "pacific",\n    "release_type": "stable"\n}\n';
  expect(await answers('version')).toEqual({
    json: '{"version":"16.2.15","release":"pacific","release_type":"stable"}',
    'json-pretty': pretty,
    xml: '<version><version>16.2.15</version><release>pacific</release><release_type>stable</release_type></version>',
    'xml-pretty':
      '<version>\n <version>16.2.15</version>\n <release>pacific</release>\n <release_type>stable</release_type>\n</version>\n\n',
    plain: pretty,
  });
});

test.each([
  [
    'git_version',
    {},
    '<version><git_version>618f440892089921c3e944a991122ddc44e60516</git_version></version>',
  ],
  ['0', {}, '2'],
  ['perf reset', { var: 'nope' }, '<perf_reset><error>Not find: nope</error></perf_reset>'],
  ['config show', {}, '<config_show><pid_file></pid_file></config_show>'],
  [
    'perf dump',
    {},
    '<perfcounter_collection><cct></cct><osd><op_w_in_bytes>6524928</op_w_in_bytes><op_w_latency><avgcount>1593</avgcount>' +
      '<sum>0.736421376</sum><avgtime>0.000462285</avgtime></op_w_latency></osd></perfcounter_collection>',
  ],
  [
    'perf schema',
    { counter: 'op_w_in_bytes' },
    '<perfcounter_collection><cct></cct><osd><op_w_in_bytes><type>10</type><metric_type>counter</metric_type>' +
      '<value_type>integer</value_type><description>Client data written</description><nick></nick><priority>5</priority>' +
      '<units>bytes</units></op_w_in_bytes>',
  ],
])('%s in XML', async (prefix, args, expected) => {
  const { xml } = await answers(prefix, args);
  expect(xml!.slice(0, expected.length)).toBe(expected);
});

test('help in XML', async () => {
  const help = await answers('help');
  expect(help.xml).toMatch(/^<help><cache_drop>omap&apos;s &lt;count&gt; &amp; size<\/cache_drop>/);
  expect(help['xml-pretty']).toMatch(/^<help>\n <cache_drop>omap.*\n(.*\n)*<\/help>\n\n$/);
});

test('descriptions of commands in XML', async () => {
  const { xml } = await answers('get_command_descriptions');
  expect(xml).toMatch(/^<command_descriptions><cmd000><sig><arg>0<\/arg><\/sig><help><\/help><\/cmd000>/);
  expect(xml).toContain(
    '<sig><arg>perf</arg><arg>dump</arg><logger><name>logger</name><req>false</req><type>CephString</type></logger>' +
      '<counter><name>counter</name><req>false</req><type>CephString</type></counter></sig><help>dump perfcounters value</help>',
  );
});

test("the value of an application's command is sent in XML", async () => {
  const value = {
    ok: true,
    none: null,
    skipped: undefined,
    'a b': [1, [2], { x: 2n ** 60n }],
    at: new Date(0),
  };
  const { path } = await sockets.serve({ commands: [{ prefix: 'my state', run: () => value }] });
  expect(await askAdminSocket(path, 'my state', { format: 'xml' })).toBe(
    '<my_state><ok>true</ok><none></none><a_b><item>1</item><a_b><item>2</item></a_b><item><x>1152921504606846976</x></item></a_b>' +
      '<at>1970-01-01T00:00:00.000Z</at></my_state>',
  );
});
