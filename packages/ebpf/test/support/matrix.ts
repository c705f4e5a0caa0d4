import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Lack, lack, lackOfProgram } from '@hdrscope/testing';
import { testRun } from '../../src/bpf/programs.ts';
import { type Bpf, loadBpf } from '../../src/bpf/syscall.ts';
import { loadConfigured } from '../../src/loader/load-program.ts';
import { onlineCpus } from '../../src/system-files.ts';

const SOURCE = fileURLToPath(new URL('../fixtures/map-matrix.bpf.c', import.meta.url));

/** The maps of each kind with each tool's convention, in the kernel. */
export interface Matrix {
  /** Counts a value under a name: 0 for `osd`, 1 for `mon`. */
  count(map: string, value: number, name: number): void;
  fdOf(map: string): number;
  close(): void;
}

/** The matrix cannot be made here. `undefined` where it can. */
export function lackOfMatrix(): Lack | undefined {
  const missing = lackOfProgram('clang');
  if (missing !== undefined) return missing;
  const { status, stderr } = spawnSync(
    'clang',
    ['-E', '-include', 'bpf/bpf_helpers.h', '-D__u8=char', '-x', 'c', '/dev/null'],
    { encoding: 'utf8' },
  );
  const hasHeaders = status === 0 || !stderr.includes('file not found');
  return lack('libbpf-dev', hasHeaders ? undefined : 'the headers of libbpf are not installed');
}

/** Compiles the programs of the matrix, and loads them without attaching them. */
export async function loadMatrix(): Promise<Matrix> {
  const bpf: Bpf = await loadBpf();
  const loaded = await loadConfigured(compiled(), undefined, { isDetached: true });
  const programs = new Map(loaded.programs.map((program) => [program.name, program]));
  const cpus = onlineCpus();
  let turn = 0;
  return {
    count(map, value, name) {
      testRun(bpf, of(programs, `${map}_p`), [value, name], { cpu: cpus[turn++ % cpus.length]! });
    },
    fdOf: (map) => of(loaded.maps, map),
    close: () => loaded.close(),
  };
}

function compiled(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-matrix-'));
  try {
    const object = join(folder, 'matrix.o');
    const { status, stderr } = spawnSync(
      'clang',
      ['-O2', '-g', '-target', 'bpf', '-c', SOURCE, '-o', object],
      {
        encoding: 'utf8',
      },
    );
    if (status !== 0) throw new Error(stderr);
    return new Uint8Array(readFileSync(object));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function of(found: ReadonlyMap<string, { readonly fd: number }>, name: string): number {
  const one = found.get(name);
  if (one === undefined) throw new Error(`the matrix has no ${name}, only ${[...found.keys()].join(', ')}`);
  return one.fd;
}
