import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { BTF_MAGIC } from './btf.ts';
import { LITTLE_ENDIAN, viewOf } from './memory.ts';

/** The file in which the kernel shows its types (BTF), to every process. */
const KERNEL_TYPES = '/sys/kernel/btf/vmlinux';

/** Source: Linux, `Documentation/bpf/btf.rst`. */
const HEADER_BYTES = 24;

/** The types of the kernel: how large they are, or why a program cannot find them. */
export type KernelTypes =
  | { readonly sizeBytes: number }
  | { readonly problem: string; readonly cure: string };

/** Looks at the types of the kernel. Never throws. */
export function kernelTypes(path: string = KERNEL_TYPES): KernelTypes {
  const header = new Uint8Array(HEADER_BYTES);
  try {
    const fd = openSync(path, 'r');
    try {
      // A kernel that has no types shows no file, so an empty file is not the kernel's.
      const length = readSync(fd, header);
      if (length === 0) return { problem: `${path} is empty`, cure: HIDDEN };
      const isBtf = length === HEADER_BYTES && viewOf(header).getUint16(0, LITTLE_ENDIAN) === BTF_MAGIC;
      if (!isBtf) return { problem: `${path} does not begin as BTF does`, cure: HIDDEN };
      return { sizeBytes: fstatSync(fd).size };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { problem: `${path} is missing`, cure: BUILT_WITHOUT };
    return { problem: `${path} cannot be read: ${code ?? message}`, cure: HIDDEN };
  }
}

const BUILT_WITHOUT = 'use a kernel that was built with CONFIG_DEBUG_INFO_BTF';
const HIDDEN =
  'something else, such as the mask of a container, lies over the file of the kernel: run outside of it, or let it see that file (-v /sys/kernel/btf:/sys/kernel/btf:ro)';
