import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AdminCommand, HistogramReplies } from '../../src/index.ts';
import { bodyIn, exchange } from './support/raw-client.ts';
import { useSockets } from './support/sockets.ts';

// What an OSD of Ceph 16.2.15 was asked, and answered, byte for byte.
const fixture = (name: string): string => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8');
const exchanges: { name: string; request: string; reply: string }[] = JSON.parse(
  fixture('osd-16.2.15-exchanges.json'),
);

const sockets = useSockets();

const none: AdminCommand['run'] = () => undefined;
const optionalInt = (name: string) => ({ name, type: 'int', required: false }) as const;

/** Some commands of an OSD that are not built in, as it describes them. */
const osdCommands: AdminCommand[] = [
  { prefix: 'cache drop', help: 'Drop all OSD caches', run: none },
  {
    prefix: 'bench',
    help: 'OSD benchmark: write <count> <size>-byte objects(with <obj_size> <obj_num>), (default count=1G default size=4MB). Results in log.',
    args: ['count', 'size', 'object_size', 'object_num'].map(optionalInt),
    run: none,
  },
  {
    prefix: 'cluster_log',
    help: 'log a message to the cluster log',
    args: [
      { name: 'level', type: 'choice', choices: ['error'] },
      { name: 'message', repeated: true },
    ],
    run: none,
  },
  {
    prefix: 'injectargs',
    help: 'inject configuration arguments into running daemon',
    args: [{ name: 'injected_args', repeated: true }],
    run: none,
  },
];

/** Of the daemon's loggers, two without a histogram that was asked for. */
const histograms: HistogramReplies = {
  schema: () => ({}),
  dump: ({ logger }) =>
    Object.fromEntries(['cct', 'osd'].filter((name) => name === logger).map((name) => [name, {}])),
};

// Later releases know the command, and so does this server.
const UNKNOWN_THEN = 'counter dump';

test.each(exchanges.filter(({ name }) => name !== UNKNOWN_THEN))(
  'answers as the daemon: $name',
  async ({ request, reply }) => {
    const { path } = await sockets.serve({
      histograms,
      reset: () => false,
      version: {
        version: '16.2.15',
        release: 'pacific',
        releaseType: 'stable',
        gitVersion: '618f440892089921c3e944a991122ddc44e60516',
      },
    });
    const outcome = await exchange(path, Buffer.from(request, 'latin1'));

    expect(outcome.reply.toString('latin1')).toBe(reply);
  },
);

test('describes commands as the daemon does', async () => {
  const { path } = await sockets.serve({ commands: osdCommands, reset: () => false });
  const { reply } = await exchange(path, '{"prefix": "get_command_descriptions"}\0');

  // Those of later releases, and one that was left out of the recording.
  const isRecorded = ({ sig: [first] }: { sig: string[] }) => first !== 'counter' && first !== 'config';
  const recorded = Object.values<{ sig: string[] }>(JSON.parse(bodyIn(reply))).filter(isRecorded);
  const numbered = recorded.map((one, i) => [`cmd${String(i).padStart(3, '0')}`, one] as const);
  const shown = `${JSON.stringify(Object.fromEntries(numbered), null, 4)}\n`;

  expect(bodyIn(reply)).toBe(`${JSON.stringify(JSON.parse(bodyIn(reply)), null, 4)}\n`);
  expect(shown).toBe(fixture('osd-16.2.15-descriptions.json'));
});

test('a request that the daemon does not answer gets no reply here either', async () => {
  const { path } = await sockets.serve();
  const tooLong = `{"prefix":"0","pad":"${'x'.repeat(2000)}"}\0`;

  expect((await exchange(path, tooLong)).reply).toHaveLength(0);
});
