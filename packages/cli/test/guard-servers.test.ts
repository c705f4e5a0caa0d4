import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { Termination } from '../src/command.ts';
import * as serve from '../src/ebpf/serve.ts';
import { hdrscope } from './support/fake-io.ts';
import { fakeKernel, frameOf, runWith } from './support/fake-kernel.ts';
import { useFolder } from './support/logs.ts';

const folder = useFolder();
const TOKEN = 'a-token-of-many-characters';

function tlsOptions(): string[] {
  const [cert, key] = [folder.pathOf('cert.pem'), folder.pathOf('key.pem')];
  const args = ['-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', cert, '-pkeyopt', 'ec_paramgen_curve:P-256'];
  expect(spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', ...args, ...files]).status).toBe(0);
  return ['--tls-cert', cert, '--tls-key', key];
}

function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  const ca = url.startsWith('https') ? readFileSync(folder.pathOf('cert.pem')) : undefined;
  if (ca === undefined) return fetch(url, { headers }).then(({ status }) => status);
  return new Promise((resolve, reject) => {
    request(url, { ca, headers, agent: false, servername: 'localhost' }, (response) => {
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
  const args = ['id:42', '--layout', 'queue-depth', '--port', '0', '--token-file', token, ...tlsOptions()];
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

test('serve uses HTTPS', async () => {
  let looked: Promise<number> = Promise.resolve(0);
  const { stdout } = await hdrscope(['serve', '--port', '0', ...tlsOptions()], {
    onOutput: (text, end) => {
      looked = statusOf(/https:\S+/.exec(text)![0]).finally(() => end(new Termination('SIGINT', 130)));
    },
  });
  expect(stdout).toMatch(/^the page is at https:\/\/localhost:\d+\/\n$/);
  expect(await looked).toBe(200);
});

test('a server of this machine answers to the names that the options allow', async () => {
  let looked: Promise<number[]> = Promise.resolve([]);
  await hdrscope(['serve', '--port', '0', '--allow-host', 'page.example', ...tlsOptions()], {
    onOutput: (text, end) => {
      const url = /https:\S+/.exec(text)![0];
      const named = (host: string): Promise<number> => statusOf(url, { host });
      looked = Promise.all([named('page.example'), named('evil.example'), named('localhost')]).finally(() =>
        end(new Termination('SIGINT', 130)),
      );
    },
  });
  expect(await looked).toEqual([200, 403, 200]);
});
