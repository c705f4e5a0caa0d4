import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { arch, endianness, platform, release } from 'node:os';
import { promisify } from 'node:util';
import { kernelTypes } from '../bpf/btf.ts';
import { loadKoffi } from '../bpf/syscall.ts';
import { openLibbpf } from '../loader/libbpf.ts';
import { mountsIn, onlineCpus, possibleCpus, readTextFile } from '../system-files.ts';

/** Features that this package uses, with the first version of Linux that has them, newest first. */
const SINCE: readonly (readonly [version: number, what: string])[] = [
  [5.13, 'batches of per-CPU values'],
  [5.08, 'CAP_BPF in place of root'],
  [5.05, 'programs that read structures of the kernel'],
];

/** Findings that take no call of bpf(2). */
export function systemFindings(): readonly Finding[] {
  return [kernel(), architecture(), cpus(), typesOfKernel(), unprivileged(), capabilities(), mounts()];
}

function kernel(): Finding {
  const what = 'kernel';
  if (platform() !== 'linux') {
    return bad(
      what,
      platform(),
      'only Linux has maps: output of bpftool and bpftrace from a Linux machine can be read here',
    );
  }
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(release()) ?? [];
  const version = Number(major) + Number(minor) / 100;
  const missing = SINCE.filter(([since]) => version < since).map(([, feature]) => feature);
  if (missing.length === 0) return good(what, `Linux ${release()}`);
  return bad(what, `Linux ${release()}`, `a newer kernel has: ${missing.join(', ')}`);
}

function architecture(): Finding {
  const what = 'architecture';
  const detail = `${arch()}, ${endianness() === 'LE' ? 'little' : 'big'} endian`;
  if (endianness() === 'LE') return good(what, detail);
  return bad(
    what,
    detail,
    'the run-queue program is built for little-endian machines: build it for this machine',
  );
}

function cpus(): Finding {
  const what = 'CPUs';
  try {
    const [possible, online] = [possibleCpus(), onlineCpus()];
    return good(what, `${possible.length} possible, ${online.length} online`);
  } catch (error) {
    return bad(what, firstLine(error), 'mount sysfs at /sys');
  }
}

function typesOfKernel(): Finding {
  const what = 'BTF of the kernel';
  const types = kernelTypes();
  if ('sizeBytes' in types) return good(what, `${(types.sizeBytes / 1e6).toFixed(1)} MB`);
  return bad(what, types.problem, `${types.cure}; programs such as that of the run queue need these types`);
}

function unprivileged(): Finding {
  const what = 'unprivileged_bpf_disabled';
  const value = readTextFile('/proc/sys/kernel/unprivileged_bpf_disabled').trim();
  if (value === '') return good(what, 'unknown: this kernel does not report it');
  const meaning =
    value === '0' ? 'everybody may make maps' : 'making maps and programs takes CAP_BPF or root';
  return good(what, `${value}: ${meaning}; everybody may read pins of mode 0444`);
}

/** Source: Linux, `include/uapi/linux/capability.h`. */
const CAPABILITIES = { CAP_SYS_ADMIN: 21n, CAP_PERFMON: 38n, CAP_BPF: 39n };

function capabilities(): Finding {
  const what = 'capabilities';
  const [, hex] = /^CapEff:\s*([\da-f]+)$/m.exec(readTextFile('/proc/self/status')) ?? [];
  const held = BigInt(`0x${hex ?? '0'}`);
  const names = Object.entries(CAPABILITIES)
    .filter(([, bit]) => (held >> bit) & 1n)
    .map(([name]) => name);
  const detail = `uid ${process.getuid?.() ?? '?'} with ${names.join(', ') || 'none of CAP_SYS_ADMIN, CAP_PERFMON and CAP_BPF'}`;
  const canLoad =
    names.includes('CAP_SYS_ADMIN') || (names.includes('CAP_BPF') && names.includes('CAP_PERFMON'));
  if (canLoad) return good(what, detail);
  return bad(
    what,
    detail,
    'loading programs takes root, or CAP_BPF and CAP_PERFMON; reading a pin of mode 0444 takes none of them',
  );
}

function mounts(): Finding {
  const what = 'bpffs';
  const paths = mountsIn(readTextFile('/proc/self/mountinfo'))
    .filter(({ type }) => type === 'bpf')
    .map(({ path }) => path);
  if (paths.length > 0) return good(what, paths.map(withMode).join(', '));
  return bad(what, 'not mounted', 'mount -t bpf -o mode=0755 bpf /sys/fs/bpf, which holds pins');
}

function withMode(path: string): string {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? path : `${path} (mode 0${(mode & 0o777).toString(8)})`;
}

const TIMEOUT_MS = 5000;

/** Findings about programs and libraries. Each of them is for one way of reading maps or loading programs. */
export function toolFindings(): Promise<readonly Finding[]> {
  return Promise.all([
    koffi(),
    libbpf(),
    program('bpftool', 'maps can be read without it, through the package koffi'),
    program('bpftrace', 'only reading the histograms of its scripts takes it'),
  ]);
}

async function koffi(): Promise<Finding> {
  const what = 'koffi';
  try {
    const { version } = (await loadKoffi()) as { version?: string };
    return good(what, version ?? 'installed');
  } catch (error) {
    return bad(
      what,
      firstLine(error),
      'npm install koffi, with --global where hdrscope is installed so; without it, maps are read through bpftool',
    );
  }
}

async function libbpf(): Promise<Finding> {
  const what = 'libbpf';
  const cure = 'install libbpf 1.x (Debian: libbpf1), which only loading programs takes';
  try {
    return good(what, (await openLibbpf()).version());
  } catch (error) {
    return bad(what, firstLine(error), cure);
  }
}

async function program(name: string, cure: string): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(name, ['--version'], { timeout: TIMEOUT_MS });
    return good(name, stdout.split('\n', 1)[0]!);
  } catch (error) {
    const { code } = error as { code?: unknown };
    return bad(name, code === 'ENOENT' ? 'not installed' : firstLine(error), cure);
  }
}

/** Result of one check of the doctor. */
export interface Finding {
  /** Subject of the check, such as `bpf(2)` or `BTF of the kernel`. */
  readonly what: string;
  /** Whether everything in this package works with it. */
  readonly ok: boolean;
  /** Result of the check. */
  readonly detail: string;
  /** Cure of the problem, or what works in spite of it; `undefined` when `ok`. */
  readonly cure: string | undefined;
}

/** A finding without a problem. */
export function good(what: string, detail: string): Finding {
  return { what, ok: true, detail, cure: undefined };
}

/** A finding with a problem and its cure. */
export function bad(what: string, detail: string, cure: string): Finding {
  return { what, ok: false, detail, cure };
}

/** The first line of the message of an error. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0]!;
}
