import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ExporterHistogram, parseEbpfExporterConfig } from '@hdrscope/ebpf';
import { isInstalled, programOf } from '@hdrscope/testing';
import type { Bpffs } from './bpffs.ts';
import { createFolder, freePort, type PeerProcess, startPeer } from './peer-process.ts';

/** The folder of the peer. */
function folder(): string {
  return dirname(dirname(programOf('ebpf-exporter')));
}

/** Names of the examples of ebpf_exporter that have histograms. */
export function examples(): readonly string[] {
  if (!isInstalled('ebpf-exporter')) return [];
  return readdirSync(join(folder(), 'running')).flatMap((file) =>
    file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : [],
  );
}

/** The path of the configuration of an example. */
export function configOf(example: string): string {
  return join(folder(), 'stopped', `${example}.yaml`);
}

/** The histograms of an example. */
export function histogramsOf(example: string): readonly ExporterHistogram[] {
  return parseEbpfExporterConfig(readFileSync(configOf(example), 'utf8'));
}

const isOk = ({ ok }: Response): boolean => ok;

/** A running exporter. Its maps are pinned by their names. */
export interface Exporter {
  readonly peer: PeerProcess;
  page(): Promise<string>;
}

/**
 * Starts ebpf_exporter with one example, `running` or `stopped`. It pins its maps in a bpffs, and uses those that are there.
 *
 * @throws Error when the example does not load.
 */
export async function startExporter(
  example: string,
  state: 'running' | 'stopped',
  bpffs: Bpffs,
): Promise<Exporter> {
  const address = `127.0.0.1:${await freePort()}`;
  const config = [`--config.dir=${join(folder(), state)}`, `--config.names=${example}`];
  // libbpf pins in this folder, which other processes may use. Only the exporter sees another one there.
  const mounted = 'mount --bind "$0" /sys/fs/bpf && exec "$@"';
  const peer = await startPeer(
    'unshare',
    [
      ...['--mount', 'sh', '-c', mounted, bpffs.path('')],
      ...[programOf('ebpf-exporter'), ...config, `--web.listen-address=${address}`],
    ],
    { folder: await createFolder(), isReady: () => fetch(`http://${address}/`).then(isOk, () => false) },
  );
  const page = async (): Promise<string> => (await fetch(`http://${address}/metrics`)).text();
  return { peer, page };
}

/** Whether all programs of an example are attached. The kernel may lack what they are attached to. */
export async function isAttached({ page }: Exporter): Promise<boolean> {
  return !/^ebpf_exporter_ebpf_program_attached\{.*\} 0$/m.test(await page());
}

/** An entry of a map: a key in bytes, and the count of each CPU. */
export interface Entry {
  readonly key: Uint8Array;
  readonly count: bigint;
}

/** Writes entries to a pinned map. In a map with a counter for each CPU, each of them gets the count. */
export function fill(path: string, entries: readonly Entry[]): void {
  const hex = (bytes: Uint8Array): string =>
    [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const lines = entries.map(
    ({ key, count }) =>
      `map update pinned ${path} key hex ${hex(key)} value hex ${hex(new Uint8Array(new BigUint64Array([count]).buffer))}`,
  );
  const { status, stdout, stderr, error } = spawnSync('bpftool', ['batch', 'file', '-'], {
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`bpftool cannot fill ${path}: ${error?.message ?? ''}${stdout}${stderr}`);
}

/** How many entries a pinned map has room for. */
export function entriesOf(path: string): number {
  const { stdout } = spawnSync('bpftool', ['-j', 'map', 'show', 'pinned', path], { encoding: 'utf8' });
  return (JSON.parse(stdout) as { max_entries: number }).max_entries;
}

const CGROUPS = '/sys/fs/cgroup';

/** The id of a control group near the root that no group of another hierarchy shares; `undefined` when all ids are shared. */
export function knownCgroup(): number | undefined {
  const paths = readdirSync(CGROUPS, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  const ids = [CGROUPS, ...paths].flatMap((path) => {
    const { ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return ino === undefined ? [] : [{ ino, depth: path.split('/').length }];
  });
  const unique = ids.filter(({ ino }) => ids.filter((other) => other.ino === ino).length === 1);
  return unique.sort((a, b) => a.depth - b.depth || a.ino - b.ino)[0]?.ino;
}

/** Four values of each label of the example `decoders`: known ones, unknown ones, and a text that no expression matches. */
export function labelSamples(): Readonly<Record<string, readonly Buffer[]>> {
  const [major = 0, minor = 0] = /^ *(\d+) +(\d+) /m
    .exec(readFileSync('/proc/partitions', 'utf8'))!
    .slice(1)
    .map(Number);
  const [one, other] = uniqueSymbols();
  const u16 = (value: number): Buffer => Buffer.from(Uint16Array.of(value).buffer);
  const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
  const u64 = (...values: readonly bigint[]): Buffer => Buffer.from(BigUint64Array.from(values).buffer);
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');
  const first = (...some: readonly Buffer[]): readonly Buffer[] =>
    [0, 1, 2, 3].map((i) => some[i % some.length]!);
  return {
    device: first(u32((minor & 0xff) | (major << 8) | ((minor & ~0xff) << 12)), u32(0x8810)),
    interface: first(u32(1), u32(4_000_000)),
    symbol: first(u64(one!), u64(one! + 1n), u64(other!)),
    ipv4: first(hex('0a000001'), hex('00000000'), hex('ffffffff')),
    ipv6: first(
      hex('20010db8000000000000000000000001'),
      hex('00000000000000000000ffff7f000001'),
      hex('fe800000000000010000000000000000'),
    ),
    comm: ['kswapd0\0rest', 'systemd-journal', 'systemd-udevd', 'sshd'].map((text) => Buffer.from(text)),
    error: first(u32(2), u32(121), u32(9999), u32(0)),
    named: first(u16(1), u16(2), u16(300), u16(4)),
    bytes: first(hex('deadbe'), hex('000000')),
    domain: first(Buffer.from('\x07example\x03com'), Buffer.from('\x09broken'), Buffer.alloc(1)),
    stack: first(u64(one! + 1n, other!), u64(other!), u64(0n)),
    cgroup: first(u64(4_000_000_000n), u64(BigInt(knownCgroup() ?? 4_000_000_001))),
  };
}

/** Addresses of symbols at which no other symbol begins, followed by another symbol. */
function uniqueSymbols(): readonly bigint[] {
  const addresses = readFileSync('/proc/kallsyms', 'utf8')
    .split('\n')
    .map((line) => line.slice(0, 16))
    .filter((address) => address.startsWith('ffffffff'))
    .slice(0, 5000)
    .map((address) => BigInt(`0x${address}`))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return addresses.filter(
    (address, i) => i > 0 && addresses[i - 1]! < address && (addresses[i + 1] ?? 0n) > address + 1n,
  );
}
