import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { loadKoffi } from '../bpf/koffi.ts';
import { openLibbpf } from '../loader/libbpf.ts';
import { bad, type Finding, firstLine, good } from './finding.ts';

const PATIENCE_MS = 5000;

/** What else this package can make use of. Each of it is needed by one way of reading alone. */
export function toolFindings(): Promise<readonly Finding[]> {
  return Promise.all([
    koffi(),
    libbpf(),
    program('bpftool', 'maps can be read without it, by the package koffi'),
    program('bpftrace', 'only the histograms of its scripts need it'),
  ]);
}

async function koffi(): Promise<Finding> {
  const what = 'koffi';
  try {
    const { version } = (await loadKoffi()) as { version?: string };
    return good(what, version ?? 'is there');
  } catch (error) {
    return bad(what, firstLine(error), 'npm install koffi: without it, maps are read through bpftool');
  }
}

async function libbpf(): Promise<Finding> {
  const what = 'libbpf';
  const cure = 'install libbpf 1.x (Debian: libbpf1): it loads programs, and nothing else here needs it';
  try {
    return good(what, (await openLibbpf()).version());
  } catch (error) {
    return bad(what, firstLine(error), cure);
  }
}

async function program(name: string, without: string): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(name, ['--version'], { timeout: PATIENCE_MS });
    return good(name, stdout.split('\n', 1)[0]!);
  } catch (error) {
    const { code } = error as { code?: unknown };
    return bad(name, code === 'ENOENT' ? 'not installed' : firstLine(error), without);
  }
}
