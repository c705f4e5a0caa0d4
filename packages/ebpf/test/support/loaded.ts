import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Lack, lackByTrial } from '@hdrscope/testing';
import { Attr, call } from '../../src/bpf/call.ts';
import { type Bpf, loadBpf } from '../../src/bpf/syscall.ts';
import { ERRNO } from '../../src/bpf/uapi.ts';
import { openKernelProgram } from '../../src/loader/index.ts';

/** No program can be loaded and attached here. `undefined` where one can. */
export function lackOfLoader(): Promise<Lack | undefined> {
  return lackByTrial('kernel', async () => (await openKernelProgram('runqueue')).close());
}

interface Ids {
  readonly maps: readonly number[];
  readonly programs: readonly number[];
}

/** Waits until the kernel has freed maps and programs, which happens a moment after they are closed. */
export async function expectGone({ maps, programs }: Ids): Promise<void> {
  const bpf = await loadBpf();
  const left = () => ({
    maps: maps.filter((id) => exists(bpf, 'MAP_GET_FD_BY_ID', id)),
    programs: programs.filter((id) => exists(bpf, 'PROG_GET_FD_BY_ID', id)),
  });
  for (let i = 0; i < 1000 && Object.values(left()).some((ids) => ids.length > 0); i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(left()).toEqual({ maps: [], programs: [] });
}

function exists(bpf: Bpf, command: 'MAP_GET_FD_BY_ID' | 'PROG_GET_FD_BY_ID', id: number): boolean {
  const fd = call(bpf, command, new Attr(bpf, 12).u32(0, id), { object: `${id}`, answers: [ERRNO.ENOENT] });
  if (fd >= 0) bpf.close(fd);
  return fd >= 0;
}

/** Starts busy processes, which end by themselves. */
export function makeBusy(processes: number, milliseconds: number): Promise<unknown> {
  const loop = `const end = Date.now() + ${milliseconds}; while (Date.now() < end);`;
  return Promise.all(
    Array.from({ length: processes }, () => once(spawn(process.execPath, ['-e', loop]), 'exit')),
  );
}
