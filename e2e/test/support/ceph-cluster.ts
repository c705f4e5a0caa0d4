import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { askAdminSocket } from '@hdrscope/ceph';
import { describeUnless, lack, lackOfPeer, type PeerName, programOf } from '@hdrscope/testing';
import { createFolder, freePort, type PeerProcess, startPeer } from './peer-process.ts';

/** A running cluster: a monitor, storage daemons and a pool. */
export interface CephCluster {
  /** A folder for the files of a test. */
  readonly folder: string;
  /** The admin socket of `osd.0`, which stores everything. */
  readonly osdSocket: string;
  readonly monSocket: string;
  /** The folder of all admin sockets, where they are together. */
  readonly sockets: string;
  /** The storage daemons: the folder of each holds its admin socket. */
  readonly osds: readonly PeerProcess[];
  /** The path of the `ceph` command and the configuration for it. */
  readonly command: { readonly program: string; readonly config: string };
  /** Starts a storage daemon again that has ended. It has forgotten everything. */
  restartOsd(id: number): Promise<void>;
  /** Runs the `ceph` command and returns its output. */
  ceph(...args: readonly string[]): Promise<string>;
  /** Runs `rados` on the pool and returns its output. */
  rados(...args: readonly string[]): Promise<string>;
}

const SWITCH = 'HDRSCOPE_E2E_CEPH_CLUSTER';
const POOL = 'test';
const RUN_SECONDS = 60;
// A busy machine takes minutes for the tests of a cluster.
const DEADLINE_SECONDS = 600;

/** The programs of a release of Ceph. */
export type CephPeer = Extract<PeerName, 'ceph-cluster' | 'ceph-reef' | 'ceph-squid' | 'ceph-tentacle'>;

/** `describe` for tests that need a cluster. They run on request; otherwise they are skipped. */
export function describeWithCephCluster(
  title: string,
  tests: () => void,
  peer: CephPeer = 'ceph-cluster',
): void {
  const notAsked = lack(undefined, process.env[SWITCH] === '1' ? undefined : `${SWITCH} is not 1`);
  describeUnless(notAsked, lackOfPeer(peer))(title, tests);
}

/** How a cluster is started. */
export interface CephClusterOptions {
  /** @default 'ceph-cluster' */
  readonly peer?: CephPeer;
  /** Whether the second of its two storage daemons stores nothing, so that the first has all operations. @default true */
  readonly isSecondIdle?: boolean;
  /** Whether all admin sockets are in one folder, with the names that Ceph gives them. @default each is in the folder of its daemon */
  readonly areSocketsTogether?: boolean;
}

/** Starts a cluster that keeps everything in memory. `stopPeers` ends it and removes its files. */
export async function startCephCluster({
  peer = 'ceph-cluster',
  isSecondIdle = true,
  areSocketsTogether = false,
}: CephClusterOptions = {}): Promise<CephCluster> {
  // One folder for each daemon, because stopping a daemon removes its folder.
  const mon = await createFolder();
  const osds = [await createFolder(), await createFolder()] as const;
  const programs = dirname(programOf(peer));
  const [config, fsid] = [join(mon, 'ceph.conf'), randomUUID()];
  // A storage daemon looks for free ports by itself.
  const address = `[v2:127.0.0.1:${await freePort()}/0]`;
  const sockets = join(mon, 'run');
  await mkdir(sockets);
  const socketOf = (folder: string, name: string): string =>
    areSocketsTogether ? join(sockets, `ceph-${name}.asok`) : join(folder, `${name}.asok`);
  await writeFile(config, configOf({ mon, osds, fsid, address, isSecondIdle, socketOf }));

  const run = (program: string, ...args: readonly string[]): Promise<string> =>
    runProgram(join(programs, program), ['--conf', config, ...args], osds[0]);
  const start = (name: string, folder: string, isReady: () => Promise<boolean>): Promise<PeerProcess> => {
    const [kind, id] = name.split('.') as [string, string];
    const args = ['--conf', config, '-f', '-i', id];
    return startPeer(join(programs, `ceph-${kind}`), args, {
      folder,
      isReady,
      deadlineSeconds: DEADLINE_SECONDS,
    });
  };

  const monMap = join(mon, 'monmap');
  await run('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', address, monMap);
  await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', monMap);
  const monSocket = socketOf(mon, 'mon.a');
  await start('mon.a', mon, () => isIn(monSocket, 'mon_status', 'leader'));

  const running: PeerProcess[] = [];
  const startOsd = (id: number, folder: string): Promise<PeerProcess> =>
    start(`osd.${id}`, folder, () => isIn(socketOf(folder, `osd.${id}`), 'status', 'active'));
  for (const [id, folder] of osds.entries()) {
    const uuid = randomUUID();
    await run('ceph', 'osd', 'new', uuid);
    await mkdir(join(folder, 'data'));
    await run('ceph-osd', '--mkfs', '-i', `${id}`, '--osd-uuid', uuid);
    running.push(await startOsd(id, folder));
  }
  await run('ceph', 'osd', 'pool', 'create', POOL, '8');

  return {
    folder: osds[0],
    osdSocket: socketOf(osds[0], 'osd.0'),
    monSocket,
    sockets,
    osds: running,
    command: { program: join(programs, 'ceph'), config },
    async restartOsd(id) {
      running[id] = await startOsd(id, osds[id]!);
    },
    ceph: (...args) => run('ceph', ...args),
    rados: (...args) => run('rados', '--pool', POOL, ...args),
  };
}

interface Places {
  readonly mon: string;
  readonly osds: readonly [string, string];
  readonly fsid: string;
  readonly address: string;
  readonly isSecondIdle: boolean;
  readonly socketOf: (folder: string, name: string) => string;
}

/** No authentication, one copy of everything, and nothing beyond the loopback interface. */
function configOf({ mon, osds, fsid, address, isSecondIdle, socketOf }: Places): string {
  const placesOf = (kind: 'mon' | 'osd', folder: string, name: string): string => `run dir = ${folder}
${kind} data = ${join(folder, 'data')}
admin socket = ${socketOf(folder, name)}`;
  return `
[global]
fsid = ${fsid}
mon host = ${address}
auth cluster required = none
auth service required = none
auth client required = none
public network = 127.0.0.0/8
ms bind msgr1 = false
log file =
log to stderr = true
err to stderr = true
debug rocksdb = 0
mon allow pool size one = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 1073741824
[mon.a]
${placesOf('mon', mon, 'mon.a')}
[osd.0]
${placesOf('osd', osds[0], 'osd.0')}
[osd.1]
${placesOf('osd', osds[1], 'osd.1')}
${isSecondIdle ? 'osd crush initial weight = 0' : ''}
[client]
admin socket =
`;
}

/** Whether a daemon reports a state. A daemon without a socket has no state yet. */
async function isIn(socket: string, command: string, state: string): Promise<boolean> {
  try {
    return (JSON.parse(await askAdminSocket(socket, command)) as { state: string }).state === state;
  } catch {
    return false;
  }
}

/** Runs a program with a time limit that holds even if this process dies. */
function runProgram(program: string, args: readonly string[], cwd: string): Promise<string> {
  const bounded = ['--signal=KILL', `${RUN_SECONDS}`, program, ...args];
  return new Promise((resolve, reject) => {
    execFile('timeout', bounded, { cwd, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stderr}`));
    });
  });
}
