import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKernelCounter } from '@hdrscope/ebpf/loader';

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

/** The reason why the kernel cannot count here; `undefined` if it can. */
export async function whyNoKernel(): Promise<string | undefined> {
  try {
    (await openKernelCounter()).close();
    mountBpffs().unmount();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * `describe` without a reason. With a reason, the tests are skipped and the reason is printed. As root on a build server,
 * a reason is a failure, because everything can run there.
 */
export function describeUnless(reason: string | undefined): (title: string, tests: () => void) => void {
  if (reason === undefined) return describe;
  if (process.env.CI && process.getuid?.() === 0) {
    return (title) =>
      describe(title, () => {
        test('must run here', () => {
          throw new Error(reason);
        });
      });
  }
  console.log(`skipped: ${reason}`);
  return describe.skip;
}
