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
  | 'log-go'
  | 'log-rust'
  | 'log-python'
  | 'opentelemetry-3'
  | 'opentelemetry-suites'
  | 'prometheus-client'
  | 'auto-instrumentations'
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

/** `1` requires all peers; a list of names requires these peers. */
const required = process.env.HDRSCOPE_REQUIRE_PEERS ?? '';

export function isInstalled(name: PeerName): boolean {
  return installedPeers().has(name);
}

/** The path of a peer: its program, or the folder of its packages. */
export function programOf(name: PeerName): string {
  const program = installedPeers().get(name);
  if (program === undefined) throw new Error(reasonFor(name));
  return program;
}

const reported = new Set<PeerName>();

/**
 * `describe` for tests that need peers. Where a peer is missing, the tests are skipped and the reason is printed; they
 * fail where `HDRSCOPE_REQUIRE_PEERS` requires that peer.
 */
export function describeWithPeers(names: readonly PeerName[]): (title: string, tests: () => void) => void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return describe;
  if (missing.some(isRequired)) return (title) => describe(title, () => failForMissing(missing));
  for (const name of missing.filter((one) => !reported.has(one))) {
    reported.add(name);
    console.log(`skipped: ${reasonFor(name)}`);
  }
  return describe.skip;
}

function failForMissing(missing: readonly PeerName[]): void {
  test('has the peers that are required', () => {
    throw new Error(missing.map(reasonFor).join('\n'));
  });
}

function isRequired(name: PeerName): boolean {
  return required === '1' || required.split(/[\s,]+/).includes(name);
}

function reasonFor(name: PeerName): string {
  return `${name} is not installed: node tools/peers/install.js ${name}`;
}
