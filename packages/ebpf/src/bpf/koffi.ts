import { kernelError } from '../errors.ts';

/** A function of a C library. It takes numbers, memory and texts. */
export type NativeFunction = (...args: readonly unknown[]) => number;

/** The part of koffi that makes system calls. */
export interface Koffi {
  load(library: string | null): { func(prototype: string): NativeFunction };
  address(memory: Uint8Array): bigint;
  errno(): number;
}

/**
 * Loads koffi, the optional peer dependency that calls C functions.
 *
 * @param importKoffi Replaces the import in tests.
 * @throws HdrscopeError `ERR_KERNEL` when koffi is not installed, or has no binary for this platform.
 */
export async function loadKoffi(importKoffi: () => Promise<unknown> = () => import('koffi')): Promise<Koffi> {
  try {
    const loaded = (await importKoffi()) as { default: Koffi };
    return loaded.default;
  } catch (cause) {
    const isAbsent = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((cause as { code: string }).code);
    const reason = isAbsent
      ? 'reading kernel maps takes the package koffi, which is not installed'
      : `reading kernel maps takes the package koffi, which does not load: ${(cause as Error).message}`;
    throw kernelError(
      `${reason}: run \`npm install koffi\`, with --global where hdrscope is installed so, or read through bpftool`,
      { program: 'koffi' },
      cause,
    );
  }
}
