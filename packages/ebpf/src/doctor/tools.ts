import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { loadKoffi } from '../bpf/syscall.ts';
import { openLibbpf } from '../loader/libbpf.ts';
import { bad, type Finding, firstLine, good } from './finding.ts';

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
