import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** A program or a set of packages that tests use where it is installed: see `tools/peers`. */
export type PeerName =
  | 'hdrhistogram-java'
  | 'ceph-client'
  | 'ceph-cluster'
  | 'ceph-reef'
  | 'ceph-squid'
  | 'ceph-tentacle'
  | 'collectd'
  | 'prometheus-2'
  | 'prometheus-3'
  | 'promtool-3'
  | 'victoria-metrics'
  | 'collector'
  | 'ebpf-exporter'
  | 'gen-ai'
  | 'log-go'
  | 'log-rust'
  | 'log-python'
  | 'opentelemetry-3'
  | 'opentelemetry-suites'
  | 'prometheus-client'
  | 'site'
  | 'auto-instrumentations'
  | 'node-services'
  | 'layouts'
  | 'runtimes'
  | 'frameworks'
  | 'frameworks-previous'
  | 'pm2'
  | 'chdb'
  | 'clickhouse-18'
  | 'spark'
  | 'verdaccio';

const installer = join(import.meta.dirname, '../../../tools/peers/install.js');

let installed: ReadonlyMap<string, string> | undefined;

/** The paths of the peers that are installed, by name. Asks the installer once. */
function installedPeers(): ReadonlyMap<string, string> {
  installed ??= new Map(
    execFileSync(process.execPath, [installer, '--list'], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.split('\t') as [name: string, program: string]),
  );
  return installed;
}

export function isInstalled(name: PeerName): boolean {
  return installedPeers().has(name);
}

/** The path of a peer: its program, or the folder of its packages. */
export function programOf(name: PeerName): string {
  const program = installedPeers().get(name);
  if (program === undefined) throw new Error(whyNotInstalled(name));
  return program;
}

/** The sentence that says how a missing peer is installed. */
export function whyNotInstalled(name: PeerName): string {
  return `${name} is not installed: node tools/peers/install.js ${name}`;
}
