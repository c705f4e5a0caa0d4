import { request } from 'node:https';
import { lackOfBuild, testUnless } from '@hdrscope/testing';
import { LOCALHOST } from '@hdrscope/testing/tls';
import { Termination } from '../src/command.ts';
import { command as serve } from '../src/commands/ebpf/serve.ts';
import { hdrscope } from './support/fake-io.ts';
import { fakeKernel, frameOf, runWith } from './support/fake-kernel.ts';
import { useFolder } from './support/logs.ts';

const folder = useFolder();
const TOKEN = 'a-token-of-many-characters';

const TLS_OPTIONS = ['--tls-cert', LOCALHOST.certFile, '--tls-key', LOCALHOST.keyFile];

function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  if (!url.startsWith('https')) return fetch(url, { headers }).then(({ status }) => status);
  return new Promise((resolve, reject) => {
    request(url, { ca: LOCALHOST.cert, headers, agent: false, servername: 'localhost' }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end();
  });
}

test('ebpf serve uses HTTPS and needs the token of the file', async () => {
  const token = folder.write('token', `${TOKEN}\n`);
  let looked: Promise<number[]> = Promise.resolve([]);
  const kernel = fakeKernel({
    frames: [frameOf([1, 2, 3, 0, 0, 0, 0, 0]), frameOf([1, 2, 3, 0, 0, 0, 0, 0])],
  });
  const args = ['id:42', '--layout', 'queue-depth', '--port', '0', '--token-file', token, ...TLS_OPTIONS];
  const { stdout } = await runWith(serve, args, kernel, {
    onOutput: (text, end) => {
      const url = text.trim();
      looked = Promise.all([
        statusOf(url),
        statusOf(url, { authorization: `Bearer ${TOKEN}` }),
        statusOf(url.replace('/metrics', '/healthz')),
      ]).finally(() => end(new Termination('SIGINT', 130)));
    },
  }).catch(async (error: unknown) => {
    if (error instanceof Termination || (error as Error).name === 'AbortError') return { stdout: '' };
    throw error;
  });
  expect(stdout).not.toContain(TOKEN);
  expect(await looked).toEqual([401, 200, 200]);
});

testUnless(lackOfBuild('dashboard', 'dist/browser'))('serve uses HTTPS', async () => {
  let looked: Promise<number> = Promise.resolve(0);
  const { stdout } = await hdrscope(['serve', '--port', '0', ...TLS_OPTIONS], {
    onOutput: (text, end) => {
      looked = statusOf(/https:\S+/.exec(text)![0]).finally(() => end(new Termination('SIGINT', 130)));
    },
  });
  expect(stdout).toMatch(/^the page is at https:\/\/localhost:\d+\/\n$/);
  expect(await looked).toBe(200);
});

// The page itself is built.
testUnless(lackOfBuild('dashboard', 'dist/browser'))(
  'a server of this machine answers to the names that the options allow',
  async () => {
    let looked: Promise<number[]> = Promise.resolve([]);
    await hdrscope(['serve', '--port', '0', '--allow-host', 'page.example', ...TLS_OPTIONS], {
      onOutput: (text, end) => {
        const url = /https:\S+/.exec(text)![0];
        const named = (host: string): Promise<number> => statusOf(url, { host });
        looked = Promise.all([named('page.example'), named('evil.example'), named('localhost')]).finally(() =>
          end(new Termination('SIGINT', 130)),
        );
      },
    });
    expect(await looked).toEqual([200, 403, 200]);
  },
);
