import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { programOf } from '@hdrscope/testing';
import { freePort } from '@hdrscope/testing/free-port';
import { newDirectory } from './sandbox.ts';

/** What a cluster has. */
interface ClusterOptions {
  /** The servers of each of the two shards, which have equal rows. Several need ZooKeeper. @default 1 */
  readonly replicas?: number;
  /** Whether there is a ZooKeeper, for `ON CLUSTER` and replicas. It is the peer of this name. @default false */
  readonly hasZooKeeper?: boolean;
}

/** A server, and where it listens. */
interface Server {
  readonly configFile: string;
  readonly url: string;
  process: ChildProcess;
}

/**
 * Servers of ClickHouse 18 that know each other as the two shards of the cluster `fleet`: those of the first shard come first. Macros name
 * the `shard` and the `replica` of each.
 */
export class ClickHouseShards {
  readonly #servers: readonly Server[];
  readonly #zooKeeper: ChildProcess | undefined;

  private constructor(servers: readonly Server[], zooKeeper: ChildProcess | undefined) {
    this.#servers = servers;
    this.#zooKeeper = zooKeeper;
  }

  static async start({ replicas = 1, hasZooKeeper = false }: ClusterOptions = {}): Promise<ClickHouseShards> {
    const places = await Promise.all(
      Array.from({ length: 2 * replicas }, async (_, i) => ({
        ...{ shard: Math.floor(i / replicas), replica: i % replicas },
        ...{ http: await freePort(), tcp: await freePort(), exchange: await freePort() },
      })),
    );
    const zooKeeperPort = hasZooKeeper ? await freePort() : undefined;
    const shards = [0, 1].map((shard) =>
      element(
        'shard',
        element('internal_replication', replicas > 1 ? 'true' : 'false') +
          places
            .filter((place) => place.shard === shard)
            .map(({ tcp }) => element('replica', describeAddress(tcp)))
            .join(''),
      ),
    );
    const zooKeeper = zooKeeperPort === undefined ? undefined : await startZooKeeper(zooKeeperPort);
    const servers = places.map((place): Server => {
      const configFile = writeConfig({ ...place, shards: shards.join(''), zooKeeperPort });
      return { configFile, url: `http://127.0.0.1:${place.http}`, process: startServer(configFile) };
    });
    const started = new ClickHouseShards(servers, zooKeeper);
    await Promise.all(servers.map((_, server) => started.#ready(server)));
    return started;
  }

  /** How many servers there are. */
  get size(): number {
    return this.#servers.length;
  }

  /** Runs a statement on a server. */
  async run(server: number, sql: string, body = ''): Promise<string> {
    const url = `${this.#servers[server]!.url}/?insert_distributed_sync=1&query=${encodeURIComponent(sql)}`;
    const answer = await fetch(url, { method: 'POST', body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  }

  /** Kills a server. */
  async kill(server: number): Promise<void> {
    await killGroup(this.#servers[server]!.process);
  }

  /** Starts a server again that was killed. */
  async restart(server: number): Promise<void> {
    const one = this.#servers[server]!;
    one.process = startServer(one.configFile);
    await this.#ready(server);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map(({ process }) => killGroup(process)));
    if (this.#zooKeeper !== undefined) await killGroup(this.#zooKeeper);
  }

  #ready(server: number): Promise<void> {
    // This version crashes at an ON CLUSTER that comes before it watches the queue of such statements.
    const isWatching = "SELECT throwIf(value = 0) FROM system.metrics WHERE metric = 'ZooKeeperWatch'";
    return retry(() => this.run(server, this.#zooKeeper === undefined ? 'SELECT 1' : isWatching));
  }
}

/** Tries something for a minute, until it succeeds. */
async function retry(attempt: () => Promise<unknown>): Promise<void> {
  for (const endMs = performance.now() + 60_000; ; ) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (performance.now() > endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Starts a program that ends after five minutes, also when the tests die. */
function startBounded(program: string, args: readonly string[], cwd: string): ChildProcess {
  const bounded = ['--signal=KILL', '300', program, ...args];
  return spawn('timeout', bounded, { cwd, stdio: 'ignore', detached: true });
}

async function killGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // The whole group, because `timeout` started the program.
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
}

function startServer(configFile: string): ChildProcess {
  return startBounded(programOf('clickhouse-18'), [`--config-file=${configFile}`], dirname(configFile));
}

/** It listens then: servers that cannot connect at their start do not try again soon. */
async function startZooKeeper(port: number): Promise<ChildProcess> {
  const folder = newDirectory();
  const configFile = join(folder, 'zookeeper.cfg');
  const settings = [
    `dataDir=${folder}`,
    `clientPort=${port}`,
    'clientPortAddress=127.0.0.1',
    'admin.enableServer=false',
    // Milliseconds. A server that was killed leaves its session behind for two ticks.
    'tickTime=500',
  ];
  writeFileSync(configFile, settings.join('\n'));
  const started = startBounded(programOf('zookeeper'), [configFile], folder);
  await retry(async () => {
    const socket = createConnection(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
    } finally {
      socket.destroy();
    }
  });
  return started;
}

/** Ports, and the place of a server in its cluster. */
interface Place {
  readonly shard: number;
  readonly replica: number;
  readonly http: number;
  readonly tcp: number;
  /** By which replicas fetch rows. */
  readonly exchange: number;
  readonly shards: string;
  readonly zooKeeperPort: number | undefined;
}

/** Writes the configuration of a server to a folder of its own. Returns its path. */
function writeConfig({ shard, replica, http, tcp, exchange, shards, zooKeeperPort }: Place): string {
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
  const coordinated =
    zooKeeperPort === undefined
      ? []
      : [
          element(
            'zookeeper',
            element('node', describeAddress(zooKeeperPort)) + element('session_timeout_ms', 2000),
          ),
          element('distributed_ddl', element('path', '/ddl')),
          element('macros', element('shard', shard) + element('replica', replica)),
          element('interserver_http_host', '127.0.0.1'),
          element('interserver_http_port', exchange),
        ];
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
    ...coordinated,
  ].join('');
  const configFile = join(folder, 'config.xml');
  writeFileSync(configFile, element('yandex', config));
  return configFile;
}

function describeAddress(port: number): string {
  return `${element('host', '127.0.0.1')}${element('port', port)}`;
}

function element(name: string, content: string | number): string {
  return `<${name}>${content}</${name}>`;
}
