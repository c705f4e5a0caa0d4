import { LOCALHOST } from '@hdrscope/testing/tls';
import { Command } from 'commander';
import { type Io, Termination } from '../src/command.ts';
import { createOptions } from '../src/define-command.ts';
import { GUARD, type GuardingOptions, guardOf } from '../src/serving.ts';
import { hdrscope } from './support/fake-io.ts';
import { useFolder } from './support/logs.ts';

const folder = useFolder();
const TOKEN = 'a-token-of-many-characters';

function io(environment: Record<string, string> = {}): Io {
  return { environment } as unknown as Io;
}

function parsed(...words: string[]): GuardingOptions {
  const parser = new Command();
  for (const option of createOptions(GUARD)) parser.addOption(option);
  return parser.parse(words, { from: 'user' }).opts();
}

test('a server is open to this machine without options', async () => {
  expect(await guardOf(parsed(), io())).toEqual({});
});

test('the token comes from a file, else from the environment', async () => {
  const file = folder.write('token', `${TOKEN}\n`);
  const environment = { HDRSCOPE_TOKEN: 'another-token-of-many' };

  expect(await guardOf(parsed('--token-file', file), io(environment))).toEqual({ token: TOKEN });
  expect(await guardOf(parsed(), io(environment))).toEqual({ token: 'another-token-of-many' });
});

test('names of hosts are collected', async () => {
  expect(await guardOf(parsed('--allow-host', 'a.example', '--allow-host', 'b.example'), io())).toEqual({
    allowedHosts: ['a.example', 'b.example'],
  });
});

test('a certificate and its key make a server use HTTPS', async () => {
  const { certFile, keyFile } = LOCALHOST;
  expect(await guardOf(parsed('--tls-cert', certFile, '--tls-key', keyFile), io())).toEqual({
    tls: { certFile, keyFile },
  });
});

const SERVERS = [['serve'], ['ebpf', 'serve', 'id:1']];

describe.each(SERVERS.map((words) => [words.join(' '), words] as const))('%s', (_, words) => {
  test.each([
    ['no certificate', () => ['--tls-key', 'key.pem'], 2, '--tls-cert and --tls-key need each other'],
    ['a missing token file', () => ['--token-file', 'nowhere'], 1, 'no such file: nowhere'],
    [
      'a missing key',
      () => ['--tls-cert', LOCALHOST.certFile, '--tls-key', 'nowhere'],
      1,
      'no such file: nowhere',
    ],
    [
      'a text instead of a key',
      () => ['--tls-cert', LOCALHOST.certFile, '--tls-key', folder.write('no.pem', 'my secret key')],
      1,
      'must be a certificate and its private key, in PEM: ',
    ],
    [
      'a short token',
      () => ['--token-file', folder.write('short', 'hunter2')],
      1,
      'token must be at least 16',
    ],
    ['an empty token', () => ['--token-file', folder.write('empty', '\n')], 1, 'token must be at least 16'],
  ])('refuses %s', async (_title, options, exitCode, message) => {
    const ran = await hdrscope([...words, ...options()]);
    expect([ran.exitCode, ran.stdout]).toEqual([exitCode, '']);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toMatch(/hunter2|my secret key|This should not happen/);
  });

  test('refuses a token of the environment that is empty, which protects nothing', async () => {
    const ran = await hdrscope(words, { environment: { HDRSCOPE_TOKEN: '' } });
    expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('token must be at least 16') });
  });
});

test('serve needs the token of the environment, and does not print it', async () => {
  let looked: Promise<number> = Promise.resolve(0);
  const { stdout, stderr } = await hdrscope(['serve', '--port', '0'], {
    environment: { HDRSCOPE_TOKEN: TOKEN },
    onOutput: (text, end) => {
      const [, url] = /the page is at (\S+) /.exec(text)!;
      looked = fetch(`${url}events`)
        .then(({ status }) => status)
        .finally(() => end(new Termination('SIGINT', 130)));
    },
  });
  expect(await looked).toBe(401);
  expect(stdout).toMatch(/^the page is at http:\/\/localhost:\d+\/ \(with \?token= and the token\)\n$/);
  expect(stdout + stderr).not.toContain(TOKEN);
});

test('serve --token takes the token of the environment before a random one', async () => {
  const { stdout } = await hdrscope(['serve', '--port', '0', '--token'], {
    environment: { HDRSCOPE_TOKEN: TOKEN },
    onOutput: (_text, end) => end(new Termination('SIGINT', 130)),
  });
  expect(stdout).not.toContain('?token=a');
});

test('serve takes one token only', async () => {
  const file = folder.write('token', TOKEN);
  expect(await hdrscope(['serve', '--token', TOKEN, '--token-file', file])).toMatchObject({ exitCode: 2 });
});
