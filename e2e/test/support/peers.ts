import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** A program that the tests can talk to, where it is installed: see `tools/peers`. */
export type PeerName =
  | 'hdrhistogram-java'
  | 'ceph-client'
  | 'ceph-cluster'
  | 'collectd'
  | 'prometheus-2'
  | 'prometheus-3'
  | 'collector'
  | 'log-go'
  | 'log-rust'
  | 'log-python';

const installer = join(import.meta.dirname, '../../../tools/peers/install.js');

const installed = new Map(
  execFileSync(process.execPath, [installer, '--list'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.split('\t') as [name: string, program: string]),
);

/** `1` requires all peers, a list of names requires those. */
const required = process.env.HDRSCOPE_REQUIRE_PEERS ?? '';

export function isInstalled(name: PeerName): boolean {
  return installed.has(name);
}

/** The file of a peer's program. */
export function programOf(name: PeerName): string {
  const program = installed.get(name);
  if (program === undefined) throw new Error(reasonFor(name));
  return program;
}

const reported = new Set<PeerName>();

/**
 * `describe` for tests that need peers. Without one of them they are skipped, with a printed reason, unless
 * `HDRSCOPE_REQUIRE_PEERS` says that it must be there: then they fail.
 */
export function describeWithPeers(names: readonly PeerName[]): (title: string, tests: () => void) => void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return describe;
  if (missing.some(isRequired)) return (title) => describe(title, () => failForWant(missing));
  for (const name of missing.filter((one) => !reported.has(one))) {
    reported.add(name);
    console.log(`skipped: ${reasonFor(name)}`);
  }
  return describe.skip;
}

function failForWant(missing: readonly PeerName[]): void {
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
