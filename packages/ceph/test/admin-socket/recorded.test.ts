import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AdminCommand, PerfReplies } from '../../src/index.ts';
import { bodyIn, exchange } from './support/raw-client.ts';
import { useSockets } from './support/sockets.ts';

// Requests to an OSD of Ceph 16.2.15 and its replies, byte for byte.
const fixture = (name: string): string => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8');
const exchanges: { name: string; request: string; reply: string }[] = JSON.parse(
  fixture('osd-16.2.15-exchanges.json'),
);

const sockets = useSockets();

const none: AdminCommand['run'] = () => undefined;
const optionalInt = (name: string) => ({ name, type: 'int', required: false }) as const;

/** Some commands of an OSD, as it describes them. They are not built in here. */
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

/** Two loggers of the daemon that do not have the requested histogram. */
const histograms: PerfReplies['histograms'] = {
  schema: () => ({}),
  dump: ({ logger }) =>
    Object.fromEntries(['cct', 'osd'].filter((name) => name === logger).map((name) => [name, {}])),
};

// This release does not know the command; later releases and this server do.
const UNKNOWN_THEN = 'counter dump';

test.each(exchanges.filter(({ name }) => name !== UNKNOWN_THEN))(
  'answers $name as the daemon does',
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

  // The commands of later releases, and one that is not in the recording.
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
