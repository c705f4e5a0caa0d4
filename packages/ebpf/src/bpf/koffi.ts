import { HdrscopeError } from '@hdrscope/core';

/** A function of a library, called with numbers, memory and texts. */
export type NativeFunction = (...args: readonly unknown[]) => number;

/** What of koffi is used to make system calls. */
export interface Koffi {
  load(library: string | null): { func(prototype: string): NativeFunction };
  address(memory: Uint8Array): bigint;
  errno(): number;
}

/**
 * koffi, the optional peer dependency that calls functions of C. Loaded when it is first needed.
 *
 * @throws HdrscopeError `ERR_KERNEL` where it is not installed, or has no binary for this platform.
 */
export async function loadKoffi(importKoffi: () => Promise<unknown> = () => import('koffi')): Promise<Koffi> {
  try {
    const loaded = (await importKoffi()) as { default: Koffi };
    return loaded.default;
  } catch (cause) {
    const isAbsent = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((cause as { code: string }).code);
    const reason = isAbsent
      ? 'maps of the kernel are read by the package koffi, which is not installed'
      : `koffi, which reads maps of the kernel, does not load: ${(cause as Error).message}`;
    throw new HdrscopeError(
      'ERR_KERNEL',
      `${reason}: run \`npm install koffi\`, without --omit=optional, or read by bpftool`,
      { cause },
    );
  }
}
