import { getSystemErrorMap } from 'node:util';
import type { HdrscopeError } from '@hdrscope/core';
import { type KernelErrorCode, type KernelErrorDetails, kernelError } from '../errors.ts';
import type { Command } from './commands.ts';
import { cureOf } from './cures.ts';
import { errnoName } from './errno.ts';

/** Subject of a system call. */
export interface Subject extends Pick<KernelErrorDetails, 'path' | 'id'> {
  /** The object as messages name it: `map 42`, or a path. */
  readonly object: string;
}

/** A call that the kernel refused. */
export interface Refusal extends Subject {
  readonly command: Command;
  readonly errno: number;
  /** Output of the verifier. */
  readonly log?: string;
}

/** The `cause` of a refusal, in the form of a system error of Node.js. */
interface KernelErrno extends Error {
  /** `EPERM` */
  readonly code: string;
  readonly errno: number;
  /** `bpf(OBJ_GET)` */
  readonly syscall: string;
}

/** Builds the error for a refusal: the call, its object, the name of the errno, and the cure when it is known. */
export function refusal({ command, object, errno, log, ...where }: Refusal): HdrscopeError<KernelErrorCode> {
  const code = errnoName(errno);
  const syscall = `bpf(${command})`;
  const [, meaning] = getSystemErrorMap().get(-errno) ?? [];
  const reason = meaning === undefined ? code : `${code}, ${meaning}`;
  const cure = cureOf(command, object, code);
  const cause: KernelErrno = Object.assign(new Error(`${syscall}: ${reason}`), { code, errno, syscall });
  const sentence = `${syscall} refused ${object}: ${reason}`;
  const message = cure === undefined ? sentence : `${sentence}; ${cure}`;
  return kernelError(log ? `${message}\n${log}` : message, { ...where, syscall, errno: code }, cause);
}
