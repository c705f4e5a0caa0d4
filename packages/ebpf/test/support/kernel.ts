import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lack, lackByTrial, testUnless } from '@hdrscope/testing';
import { createMap, type MapInfo, mapIds, mapInfo, openMapById } from '../../src/bpf/maps.ts';
import { type Bpf, loadBpf } from '../../src/bpf/syscall.ts';
import { errnoOf } from '../../src/errors.ts';

/** No test can use the kernel here. `undefined` where tests can. */
export function lackOfKernel(): Promise<Lack | undefined> {
  return lackByTrial('kernel', async () => {
    const bpf = await loadBpf();
    bpf.close(
      createMap(bpf, { type: 'percpu_array', keySize: 4, valueSize: 8, maxEntries: 1, name: 'hdr_probe' }),
    );
  });
}

/** A bpffs that a test has for itself. */
export interface PrivateBpffs {
  readonly folder: string;
  path(name: string): string;
  /** Unmounts it, which removes all its pins. */
  unmount(): void;
}

/** No bpffs can be mounted here. `undefined` where one can. */
export function lackOfMount(): Promise<Lack | undefined> {
  return lackByTrial('kernel', () => mountBpffs().unmount());
}

export function mountBpffs(): PrivateBpffs {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-bpffs-'));
  // Other users must be able to enter it.
  const { status, stderr } = spawnSync('mount', ['-t', 'bpf', '-o', 'mode=0755', 'bpf', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) {
    rmdirSync(folder);
    throw new Error(`mounting a bpffs takes rights that this process lacks: ${stderr?.trim()}`);
  }
  spawnSync('chmod', ['0755', folder]);
  return {
    folder,
    path: (name) => join(folder, name),
    unmount: () => {
      const unmounted = spawnSync('umount', [folder], { encoding: 'utf8' });
      if (unmounted.status !== 0) throw new Error(unmounted.stderr);
      rmdirSync(folder);
    },
  };
}

/** All maps whose name begins with a prefix. */
function mapsNamed(bpf: Bpf, prefix: string): readonly MapInfo[] {
  return mapIds(bpf).flatMap((id) => {
    try {
      const fd = openMapById(bpf, id);
      const info = mapInfo(bpf, fd);
      bpf.close(fd);
      return info.name.startsWith(prefix) ? [info] : [];
    } catch (error) {
      // The map was removed since it was listed.
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  });
}

/** Waits until no map with a prefix is left. The kernel frees maps a moment after their last user is gone. */
export async function expectNoMaps(bpf: Bpf, prefix: string): Promise<void> {
  for (let i = 0; i < 1000 && mapsNamed(bpf, prefix).length > 0; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(mapsNamed(bpf, prefix)).toEqual([]);
}

/** The key of an array. */
export function indexKey(index: number): Uint8Array {
  return new Uint8Array(new Uint32Array([index]).buffer);
}

/** A value of one u64 for each CPU. */
export function perCpuValue(...counts: readonly (number | bigint)[]): Uint8Array {
  return new Uint8Array(new BigUint64Array(counts.map(BigInt)).buffer);
}

/** The kernel for the tests of one file. */
export interface KernelSession {
  /** `test`, skipped where there is no kernel to ask. */
  readonly kernelTest: typeof test;
  readonly bpf: Bpf;
  /** Descriptors, which are closed after each test. */
  readonly open: number[];
}

/**
 * Opens the kernel for the tests of one file.
 *
 * @param prefix How the names of their maps begin. After the last test no such map may be left.
 */
export async function kernelSession(prefix: string): Promise<KernelSession> {
  const noKernel = await lackOfKernel();
  // Tests that use it are skipped where there is none.
  const bpf = await loadBpf().catch(() => undefined as unknown as Bpf);
  const open: number[] = [];
  afterEach(() => {
    for (const fd of open.splice(0)) bpf.close(fd);
  });
  afterAll(async () => {
    if (noKernel === undefined) await expectNoMaps(bpf, prefix);
  });
  return { kernelTest: testUnless(noKernel), bpf, open };
}
