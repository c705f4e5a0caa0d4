import { type AdminCommand, askAdminSocket } from '../../src/index.ts';
import { bodyIn, exchange } from './support/raw-client.ts';
import { useSockets } from './support/sockets.ts';

const sockets = useSockets();

const echo: AdminCommand = {
  prefix: 'echo all',
  help: 'gives its arguments back',
  args: [
    { name: 'text' },
    { name: 'count', type: 'int', required: false },
    { name: 'ratio', type: 'float', required: false },
    { name: 'deep', type: 'bool', required: false },
    { name: 'level', type: 'choice', choices: ['low', 'high'], required: false },
    { name: 'rest', repeated: true, required: false },
  ],
  run: (args: Parameters<AdminCommand['run']>[0]) => args,
};

test('a command gets only the arguments that it knows', async () => {
  const { path } = await sockets.serve({ commands: [echo] });
  const args = { text: 'x', count: 3, ratio: 0.5, deep: true, level: 'high', rest: ['a', 'b'] };
  const reply = await askAdminSocket(path, 'echo all', { ...args, target: ['mon', ''] });

  expect(JSON.parse(reply)).toEqual(args);
});

test.each([
  ['that is missing', {}],
  ['that is not a string', { text: 5 }],
  ['that is not an integer', { text: '', count: 1.5 }],
  ['that is not a number', { text: '', ratio: '0.5' }],
  ['that is not a boolean', { text: '', deep: 'true' }],
  ['that is not one of the choices', { text: '', level: 'middle' }],
  ['that is not an array', { text: '', rest: 'a' }],
  ['in an array that is not a string', { text: '', rest: ['a', null] }],
  ['that is null', { text: null }],
])('refuses an argument %s', async (_, args) => {
  const { path } = await sockets.serve({ commands: [echo] });
  const { reply } = await exchange(path, `${JSON.stringify({ prefix: 'echo all', ...args })}\0`);

  expect(bodyIn(reply)).toBe('ERROR: (22) Invalid argument\ninvalid command json\n');
});

test.each<[string, AdminCommand['run']]>([
  [
    'throws',
    () => {
      throw new Error('no such cache');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no such cache'))],
  [
    'throws a value that is not an error',
    () => {
      throw 'no such cache';
    },
  ],
])('a command that %s sends an error', async (_, run) => {
  const { path } = await sockets.serve({ commands: [{ prefix: 'x', run }] });
  const { reply } = await exchange(path, '{"prefix":"x"}\0');

  expect(bodyIn(reply)).toBe('ERROR: (22) Invalid argument\nno such cache\n');
  expect(await askAdminSocket(path, '0')).toBe('2');
});

test('a result that cannot be JSON sends an error', async () => {
  const circle: { itself?: object } = {};
  circle.itself = circle;
  const { path } = await sockets.serve({ commands: [{ prefix: 'x', run: () => circle }] });

  await expect(askAdminSocket(path, 'x')).rejects.toMatchObject({ code: 'ERR_ADMIN_SOCKET' });
});

test('a command that takes too long sends an error', async () => {
  const { path } = await sockets.serve({
    limits: { answerMs: 20 },
    commands: [{ prefix: 'x', run: () => new Promise(() => {}) }],
  });
  const { reply } = await exchange(path, '{"prefix":"x"}\0');

  expect(bodyIn(reply)).toBe('ERROR: (110) Connection timed out\nnot answered within 0.02 s\n');
});

test.each([
  ['json', '{"a":[1]}'],
  ['json-pretty', '{\n    "a": [\n        1\n    ]\n}\n'],
  ['table', '{\n    "a": [\n        1\n    ]\n}\n'],
  ['xml', '<a><value>1</value></a>'],
])('the format %s', async (format, body) => {
  const { path } = await sockets.serve({
    commands: [
      {
        prefix: 'x',
        run: (_, wanted) => (wanted === 'xml' ? '<a><value>1</value></a>' : { a: [1] }),
      },
    ],
  });

  expect(await askAdminSocket(path, 'x', { format })).toBe(body);
});

test('bytes are sent unchanged, and undefined as an empty body', async () => {
  const { path } = await sockets.serve({
    commands: [
      { prefix: 'bytes', run: () => Uint8Array.of(104, 105) },
      { prefix: 'nothing', run: () => undefined },
    ],
  });

  expect(await askAdminSocket(path, 'bytes')).toBe('hi');
  expect(await askAdminSocket(path, 'nothing')).toBe('');
});

test('help lists the commands that have a help text', async () => {
  const { path } = await sockets.serve({ commands: [echo, { prefix: 'silent', run: () => '' }] });

  expect(Object.keys(JSON.parse(await askAdminSocket(path, 'help')))).toEqual([
    'config show',
    'counter dump',
    'counter schema',
    'echo all',
    'get_command_descriptions',
    'git_version',
    'help',
    'perf dump',
    'perf histogram dump',
    'perf histogram schema',
    'perf schema',
    'version',
  ]);
});

test.each([
  ['has an empty file name', {}, '{"pid_file":""}'],
  ['has the file of the process id', { pidFile: '/run/shop.pid' }, '{"pid_file":"/run/shop.pid"}'],
  [
    'can be replaced by the application',
    { commands: [{ prefix: 'config show', run: () => ({ workers: 4 }) }] },
    '{"workers":4}',
  ],
])('config show %s', async (_, options, reply) => {
  const { path } = await sockets.serve(options);

  expect(await askAdminSocket(path, 'config show', { format: 'json' })).toBe(reply);
});

const run = () => '';
test.each<[string, AdminCommand, string]>([
  ['has no prefix', { prefix: '', run }, 'the prefix of a command must be'],
  ['has two spaces', { prefix: 'a  b', run }, 'the prefix of a command must be'],
  [
    'has an argument of another type',
    { prefix: 'a', args: [{ name: 'b', type: 'CephInt' as 'int' }], run },
    'type of argument 1',
  ],
  ['takes the prefix', { prefix: 'a', args: [{ name: 'prefix' }], run }, "argument 1 of the command 'a'"],
  ['has two arguments of one name', { prefix: 'a', args: [{ name: 'b' }, { name: 'b' }], run }, 'argument 2'],
  ['has no choices', { prefix: 'a', args: [{ name: 'b', type: 'choice' }], run }, 'choices of argument 1'],
  [
    'has a required argument after an optional one',
    { prefix: 'a', args: [{ name: 'b', required: false }, { name: 'c' }], run },
    'argument 2',
  ],
  [
    'has an argument after one that takes the rest',
    { prefix: 'a', args: [{ name: 'b', repeated: true }, { name: 'c' }], run },
    'repeated of argument 1',
  ],
])('refuses a command that %s', async (_, command, words) => {
  await expect(sockets.serve({ commands: [command] })).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringContaining(words),
  });
});

test('refuses a second command with the same prefix', async () => {
  await expect(sockets.serve({ commands: [{ prefix: 'help', run }] })).rejects.toMatchObject({
    code: 'ERR_ALREADY_REGISTERED',
  });
});
