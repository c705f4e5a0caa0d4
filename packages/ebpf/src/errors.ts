import { HdrscopeError } from '@hdrscope/core';
import { visible } from '@hdrscope/core/internal';

/** Codes of what reading the kernel refuses, besides those of core. */
export type KernelErrorCode = 'ERR_KERNEL';

/** The data of a kernel error. A detail is left out when it is unknown, or when the error is not about it. */
export interface KernelErrorDetails {
  /** Path of the pin or file. */
  readonly path?: string;
  /** Number of the line in that file. The first line is 1. */
  readonly line?: number;
  /** Id of the map. */
  readonly id?: number;
  /** Ids of all maps that have the name, when the name is ambiguous. */
  readonly ids?: readonly number[];
  /** Name of the map. */
  readonly name?: string;
  /** Field of a key or value of the map, or size or length that does not fit. */
  readonly field?: string;
  /** Index at which a program counts and the layout has no slot. */
  readonly index?: number;
  /** Variable of a bpftrace script. */
  readonly variable?: string;
  /** Program or library that was run or loaded. */
  readonly program?: string;
  /** System call that failed, such as `bpf(OBJ_GET)`. */
  readonly syscall?: string;
  /** Reason that the operating system gave, such as `EPERM`; `ENOENT` also when no map has a name. */
  readonly errno?: string;
}

const LONGEST_MESSAGE = 20_000;

/** Builds the error for a failure to read the kernel. Control characters of foreign names and messages are visible in it. */
export function kernelError(
  message: string,
  details: KernelErrorDetails = {},
  cause?: unknown,
): HdrscopeError<KernelErrorCode> {
  const cut = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
  return new HdrscopeError('ERR_KERNEL', visible(cut, { lines: true }), {
    details: { ...details },
    ...(cause !== undefined && { cause }),
  });
}

/** The `errno` detail of an error, such as `ENOENT`; `undefined` when the error has no such detail. */
export function errnoOf(error: unknown): string | undefined {
  const errno = (error as Partial<HdrscopeError> | undefined)?.details?.errno;
  return typeof errno === 'string' ? errno : undefined;
}
