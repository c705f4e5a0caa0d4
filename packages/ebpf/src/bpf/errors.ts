import { getSystemErrorMap } from 'node:util';
import { HdrscopeError } from '@hdrscope/core';
import type { Command } from './commands.ts';
import { cureOf } from './cures.ts';
import { errnoName } from './errno.ts';

/** A call that the kernel refused. */
export interface Refusal {
  readonly command: Command;
  /** What it was about: a path, `map 42`. */
  readonly object: string;
  readonly errno: number;
  /** What the verifier has to say. */
  readonly log?: string;
}

/** The `cause` of an error: what the kernel said, by name. */
export interface KernelErrno extends Error {
  /** `EPERM` */
  readonly code: string;
  readonly errno: number;
  /** `bpf(OBJ_GET)` */
  readonly syscall: string;
}

/** The error for a refusal: the call, its object, the errno by its name, and what helps. */
export function refusal({ command, object, errno, log }: Refusal): HdrscopeError {
  const code = errnoName(errno);
  const syscall = `bpf(${command})`;
  const [, meaning] = getSystemErrorMap().get(-errno) ?? [];
  const said = meaning === undefined ? code : `${code}, ${meaning}`;
  const cure = cureOf({ command, object, code });
  const cause: KernelErrno = Object.assign(new Error(`${syscall}: ${said}`), { code, errno, syscall });
  const parts = [`${syscall} refused ${object}: ${said}`, ...(cure === undefined ? [] : [cure])];
  const message = parts.join('; ');
  return new HdrscopeError('ERR_KERNEL', log ? `${message}\n${log}` : message, { cause });
}

/** The kernel's word for why, where an error holds it. */
export function errnoOf(error: unknown): string | undefined {
  const cause = (error as { cause?: { code?: unknown } } | undefined)?.cause;
  return typeof cause?.code === 'string' ? cause.code : undefined;
}
