import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programOf } from '@hdrscope/testing';
import { freePort } from '@hdrscope/testing/free-port';
import { newDirectory } from './sandbox.ts';

/** Two servers of ClickHouse 18 that know each other as the shards of the cluster `fleet`. */
export class ClickHouseShards {
  readonly #urls: readonly string[];
  readonly #servers: readonly ChildProcess[];

  private constructor(urls: readonly string[], servers: readonly ChildProcess[]) {
    this.#urls = urls;
    this.#servers = servers;
  }

  static async start(): Promise<ClickHouseShards> {
    const ports = [
      { http: await freePort(), tcp: await freePort() },
      { http: await freePort(), tcp: await freePort() },
    ];
    const shards = ports.map(({ tcp }) => element('shard', replicaAt(tcp))).join('');
    const servers = ports.map(({ http, tcp }) => startServer({ http, tcp, shards }));
    const started = new ClickHouseShards(
      ports.map(({ http }) => `http://127.0.0.1:${http}`),
      servers,
    );
    for (const shard of [0, 1]) await started.#ready(shard);
    return started;
  }

  /** Runs a statement on a shard. */
  async run(shard: number, sql: string, body = ''): Promise<string> {
    const url = `${this.#urls[shard]}/?insert_distributed_sync=1&query=${encodeURIComponent(sql)}`;
    const answer = await fetch(url, { method: 'POST', body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#servers.map(async (server) => {
        const ended = once(server, 'exit');
        // The whole group, because `timeout` started the server.
        process.kill(-server.pid!, 'SIGKILL');
        await ended;
      }),
    );
  }

  async #ready(shard: number): Promise<void> {
    for (const endMs = performance.now() + 60_000; ; ) {
      try {
        await this.run(shard, 'SELECT 1');
        return;
      } catch (error) {
        if (performance.now() > endMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}

function startServer({ http, tcp, shards }: { http: number; tcp: number; shards: string }): ChildProcess {
  const folder = newDirectory();
  for (const name of ['data', 'tmp']) mkdirSync(join(folder, name));
  const users = [
    element('profiles', element('default', '')),
    element('quotas', element('default', '')),
    element(
      'users',
      element(
        'default',
        `${element('password', '')}${element('networks', element('ip', '::/0'))}${element('profile', 'default')}${element('quota', 'default')}`,
      ),
    ),
  ].join('');
  writeFileSync(join(folder, 'users.xml'), element('yandex', users));
  const config = [
    element('logger', `${element('level', 'error')}${element('console', '1')}`),
    element('http_port', http),
    element('tcp_port', tcp),
    element('listen_host', '127.0.0.1'),
    element('path', `${folder}/data/`),
    element('tmp_path', `${folder}/tmp/`),
    element('mark_cache_size', 2 ** 24),
    element('users_config', 'users.xml'),
    element('default_profile', 'default'),
    element('default_database', 'default'),
    element('remote_servers', element('fleet', shards)),
  ].join('');
  writeFileSync(join(folder, 'config.xml'), element('yandex', config));
  return spawn(
    'timeout',
    ['--signal=KILL', '300', programOf('clickhouse-18'), `--config-file=${join(folder, 'config.xml')}`],
    { cwd: folder, stdio: 'ignore', detached: true },
  );
}

function replicaAt(port: number): string {
  return element('replica', `${element('host', '127.0.0.1')}${element('port', port)}`);
}

function element(name: string, content: string | number): string {
  return `<${name}>${content}</${name}>`;
}
