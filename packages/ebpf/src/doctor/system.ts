import { readFileSync, statSync } from 'node:fs';
import { arch, endianness, platform, release } from 'node:os';
import { onlineCpus, possibleCpus } from '../bpf/cpus.ts';
import { bad, type Finding, firstLine, good } from './finding.ts';

/** The oldest Linux with each of what is used, newest first. */
const SINCE: readonly (readonly [version: number, what: string])[] = [
  [5.13, 'values for each CPU are read in batches'],
  [5.08, 'CAP_BPF stands in for root'],
  [5.05, 'programs read the structures of the kernel'],
];

/** What can be read of the system without asking bpf(2) anything. */
export function systemFindings(): readonly Finding[] {
  return [kernel(), architecture(), cpus(), typesOfKernel(), unprivileged(), capabilities(), mounts()];
}

function kernel(): Finding {
  const what = 'kernel';
  if (platform() !== 'linux') {
    return bad(what, platform(), 'maps are of Linux: what bpftool or bpftrace print there can be read here');
  }
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(release()) ?? [];
  const version = Number(major) + Number(minor) / 100;
  const lacking = SINCE.filter(([since]) => version < since).map(([, lack]) => lack);
  if (lacking.length === 0) return good(what, `Linux ${release()}`);
  return bad(what, `Linux ${release()}`, `a newer one is needed where ${lacking.join(', and where ')}`);
}

function architecture(): Finding {
  const what = 'architecture';
  const detail = `${arch()}, ${endianness() === 'LE' ? 'little' : 'big'} endian`;
  if (endianness() === 'LE') return good(what, detail);
  return bad(what, detail, 'the run-queue program is for little-endian machines: build it for this one');
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
  const size = statSync('/sys/kernel/btf/vmlinux', { throwIfNoEntry: false })?.size;
  if (size !== undefined) return good(what, `${(size / 1e6).toFixed(1)} MB in /sys/kernel/btf/vmlinux`);
  const cure = 'a kernel with CONFIG_DEBUG_INFO_BTF: without it the run-queue program cannot be loaded';
  return bad(what, '/sys/kernel/btf/vmlinux is missing', cure);
}

function unprivileged(): Finding {
  const what = 'unprivileged_bpf_disabled';
  const value = textOf('/proc/sys/kernel/unprivileged_bpf_disabled')?.trim();
  if (value === undefined) return good(what, 'unknown: this kernel does not show it');
  const meaning = value === '0' ? 'everybody may make maps' : 'maps and programs take CAP_BPF or root';
  return good(what, `${value}: ${meaning}; what is pinned with mode 0444 everybody may read`);
}

/** Source: Linux, `include/uapi/linux/capability.h`. */
const CAPABILITIES = { CAP_SYS_ADMIN: 21n, CAP_PERFMON: 38n, CAP_BPF: 39n };

function capabilities(): Finding {
  const what = 'capabilities';
  const [, hex] = /^CapEff:\s*([\da-f]+)$/m.exec(textOf('/proc/self/status') ?? '') ?? [];
  const held = BigInt(`0x${hex ?? '0'}`);
  const names = Object.entries(CAPABILITIES)
    .filter(([, bit]) => (held >> bit) & 1n)
    .map(([name]) => name);
  const detail = `uid ${process.getuid?.() ?? '?'} with ${names.join(', ') || 'none that matters here'}`;
  const canLoad =
    names.includes('CAP_SYS_ADMIN') || (names.includes('CAP_BPF') && names.includes('CAP_PERFMON'));
  if (canLoad) return good(what, detail);
  return bad(
    what,
    detail,
    'loading programs takes root, or CAP_BPF and CAP_PERFMON; pins of mode 0444 can be read without any of them',
  );
}

function mounts(): Finding {
  const what = 'bpffs';
  const paths = (textOf('/proc/self/mounts') ?? '')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , type]) => type === 'bpf')
    // Blanks in paths are written as octal numbers.
    .map(([, path]) =>
      path!.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
    );
  if (paths.length > 0) return good(what, paths.map(withMode).join(', '));
  return bad(what, 'not mounted', 'mount -t bpf -o mode=0755 bpf /sys/fs/bpf: pins are files in it');
}

function withMode(path: string): string {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? path : `${path} (mode 0${(mode & 0o777).toString(8)})`;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
