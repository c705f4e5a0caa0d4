import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '@hdrscope/kit';
import { kernelError } from '../errors.ts';
import { mountsIn } from '../system-files.ts';

/** Where the names of this machine are. Tests use others. */
export interface SystemPaths {
  readonly partitions: string;
  readonly interfaces: string;
  readonly symbols: string;
  readonly mounts: string;
}

const PATHS: SystemPaths = {
  partitions: '/proc/partitions',
  interfaces: '/sys/class/net',
  symbols: '/proc/kallsyms',
  mounts: '/proc/self/mountinfo',
};

/** Names that may belong to the numbers of one kind. */
type Table = 'partitions' | 'interfaces' | 'cgroups' | 'symbols';

/** How long a number without a name is not looked up again. */
const ABSENT_MS = 60_000;
/** How many numbers without names are remembered. The oldest ones are forgotten first. */
const MOST_ABSENT = 10_000;

/**
 * Names of this machine for the numbers of the kernel. A table is read when a number is looked up that is not in it, at most
 * once for each `complete`. A number that is not in the table then has no name for a minute, so keys that come and go do
 * not make each gather read the table.
 */
export class SystemNames {
  readonly #paths: SystemPaths;
  readonly #names = new Map<Table, ReadonlyMap<string, string>>();
  /** Numbers of the last `complete` that are not in a table as it was read last. */
  readonly #missing = new Map<Table, Set<string>>();
  /** Numbers without names, and when they are looked up again, ascending. */
  readonly #absent = new Map<Table, ReadonlyMap<string, number>>();
  readonly #nowMs: () => number;
  /** The addresses of the symbols, ascending, as 16 hexadecimal digits. */
  #addresses: readonly string[] = [];

  constructor(paths: SystemPaths = PATHS, nowMs: () => number = () => performance.now()) {
    this.#paths = paths;
    this.#nowMs = nowMs;
  }

  /** The name of a block device by `major:minor`. */
  device(numbers: string): string | undefined {
    return this.#lookUp('partitions', numbers);
  }

  /** The name of a network interface by its index. */
  networkInterface(index: string): string | undefined {
    return this.#lookUp('interfaces', index);
  }

  /** The path of a control group by its id. Without a name: an id that groups of several hierarchies have. */
  cgroup(id: string): string | undefined {
    return this.#lookUp('cgroups', id);
  }

  /** The symbol that begins at an address of 16 hexadecimal digits. */
  symbolAt(address: string): string | undefined {
    return this.#lookUp('symbols', address);
  }

  /** The last symbol that begins at or before an address. */
  symbolAround(address: string): string | undefined {
    const addresses = this.#addresses;
    let [from, to] = [0, addresses.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (addresses[middle]! <= address) from = middle + 1;
      else to = middle;
    }
    return this.symbolAt(addresses[from - 1] ?? address);
  }

  /**
   * Looks up names, and does so once more when numbers were missing and their tables have been read. Numbers that are missing
   * still are not looked up for a while.
   *
   * @param lookUp Calls the methods of this object, at once.
   * @throws HdrscopeError `ERR_KERNEL` when a table cannot be read.
   */
  async complete<T>(lookUp: () => T): Promise<T> {
    this.#missing.clear();
    const names = lookUp();
    const missing = [...this.#missing];
    if (missing.length === 0) return names;
    for (const [table, numbers] of missing) {
      const known = await this.#read(table);
      this.#names.set(table, known);
      const absent = [...numbers].filter((number) => !known.has(number));
      this.#noteAbsent(table, absent);
    }
    return lookUp();
  }

  #lookUp(table: Table, number: string): string | undefined {
    const name = this.#names.get(table)?.get(number);
    if (name !== undefined || this.#isAbsent(table, number)) return name;
    const missing = this.#missing.get(table) ?? new Set();
    this.#missing.set(table, missing.add(number));
    return undefined;
  }

  #isAbsent(table: Table, number: string): boolean {
    return (this.#absent.get(table)?.get(number) ?? Number.NEGATIVE_INFINITY) > this.#nowMs();
  }

  #noteAbsent(table: Table, numbers: readonly string[]): void {
    const nowMs = this.#nowMs();
    const before = [...(this.#absent.get(table) ?? [])].filter(([, untilMs]) => untilMs > nowMs);
    const added = numbers.map((number) => [number, nowMs + ABSENT_MS] as const);
    this.#absent.set(table, new Map([...before, ...added].slice(-MOST_ABSENT)));
  }

  async #read(table: Table): Promise<ReadonlyMap<string, string>> {
    const { partitions, interfaces, symbols, mounts } = this.#paths;
    try {
      switch (table) {
        case 'partitions':
          return partitionNames(await readFile(partitions, 'utf8'));
        case 'interfaces':
          return await interfaceNames(interfaces);
        case 'cgroups':
          return await cgroupPaths(cgroupMounts(await readFile(mounts, 'utf8')));
        case 'symbols': {
          const names = symbolNames(await readFile(symbols, 'utf8'));
          this.#addresses = [...names.keys()].sort();
          if (this.#addresses.some((address) => Number(`0x${address}`) > 0)) return names;
        }
      }
    } catch (error) {
      throw kernelError(`the names of ${table} cannot be read: ${reasonOf(error)}`, {}, error);
    }
    throw kernelError(
      `${symbols} shows no addresses to this user: the decoders ksym and kstack take CAP_SYSLOG`,
    );
  }
}

/** Source: proc(5), `/proc/partitions`: major, minor, blocks, name. */
function partitionNames(text: string): ReadonlyMap<string, string> {
  const rows = text.split('\n').map((line) => line.trim().split(/\s+/));
  return new Map(
    rows.flatMap(([major, minor, , name]) =>
      /^\d+$/.test(major!) && name !== undefined ? [[`${major}:${minor}`, name]] : [],
    ),
  );
}

async function interfaceNames(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const name of await readdir(folder)) {
    // An interface may disappear meanwhile, and other files have no index.
    const index = await readFile(join(folder, name, 'ifindex'), 'utf8').catch(() => '');
    if (index !== '') names.set(index.trim(), name);
  }
  return names;
}

/** Source: proc(5), `/proc/kallsyms`: address, type, name, and perhaps a module. */
function symbolNames(text: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [, address, name] of text.matchAll(/^([0-9a-f]{16}) \S (\S+)/gm)) names.set(address!, name!);
  return names;
}

/** The mount points of all hierarchies of control groups in `/proc/self/mountinfo`, those of version 2 first. */
function cgroupMounts(mountinfo: string): readonly string[] {
  const mounts = mountsIn(mountinfo);
  return ['cgroup2', 'cgroup'].flatMap((version) =>
    mounts.filter(({ type }) => type === version).map(({ path }) => path),
  );
}

const MOST_FOLDERS = 200_000;

/** Paths of control groups by their ids, which are their inodes. Ids that two hierarchies use for two groups have no path. */
async function cgroupPaths(roots: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  const ambiguous = new Set<string>();
  const hierarchies = new Set<bigint>();
  let folders = 0;
  for (const root of roots) {
    const { dev } = await lstat(root, { bigint: true });
    // One hierarchy may be mounted twice.
    if (hierarchies.has(dev)) continue;
    hierarchies.add(dev);
    const waiting = [root];
    for (let folder = waiting.pop(); folder !== undefined && folders < MOST_FOLDERS; folder = waiting.pop()) {
      folders++;
      // Groups end at any time.
      const found = await lstat(folder, { bigint: true }).catch(() => undefined);
      if (found === undefined || found.dev !== dev) continue;
      const id = String(found.ino);
      if (paths.has(id)) ambiguous.add(id);
      else paths.set(id, folder);
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) if (entry.isDirectory()) waiting.push(join(folder, entry.name));
    }
  }
  for (const id of ambiguous) paths.delete(id);
  return paths;
}
