/** Codes of what reading the kernel refuses, besides those of core. */
export type KernelErrorCode = 'ERR_KERNEL';
