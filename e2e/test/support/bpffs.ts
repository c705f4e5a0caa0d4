import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKernelCounter } from '@hdrscope/ebpf/loader';
import { type Lack, lackByTrial } from '@hdrscope/testing';

/** A bpf file system for one test. `unmount` removes its folder too. */
export interface Bpffs {
  path(name: string): string;
  unmount(): void;
}

/** @throws Error when this process may not mount a file system. */
export function mountBpffs(): Bpffs {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-e2e-bpffs-'));
  const mounted = spawnSync('mount', ['-t', 'bpf', '-o', 'mode=0755', 'bpf', folder], { encoding: 'utf8' });
  if (mounted.status !== 0) {
    rmdirSync(folder);
    throw new Error(`no bpffs can be mounted: ${mounted.stderr ?? mounted.error?.message}`);
  }
  return {
    path: (name) => join(folder, name),
    unmount() {
      const { status, stderr } = spawnSync('umount', [folder], { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
      rmdirSync(folder);
    },
  };
}

/** The kernel cannot count here. `undefined` where it can. */
export function lackOfKernel(): Promise<Lack | undefined> {
  return lackByTrial('kernel', async () => {
    (await openKernelCounter()).close();
    mountBpffs().unmount();
  });
}
