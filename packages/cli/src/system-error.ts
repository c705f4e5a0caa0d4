import { readdirSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import { nearest } from '@hdrscope/kit';
import { type Io, Refusal, UsageError } from './command.ts';

type SystemError = Error & NodeJS.ErrnoException & { readonly port?: number; readonly address?: string };

const SENTENCES: Readonly<Record<string, (path: string, error: SystemError) => string>> = {
  ENOENT: (path) => `no such file: ${path}${similarTo(path)}`,
  ENOTDIR: (path) => `no such file: ${path}, because a part of the path is no folder`,
  EACCES: (path, error) =>
    error.syscall === 'listen'
      ? `port ${error.port} needs more rights: --port above 1023 needs none`
      : `permission denied: ${path}`,
  EPERM: (path) => `permission denied: ${path}`,
  EISDIR: (path) => `${path} is a folder`,
  ENOSPC: (path) => `no space is left for ${path}`,
  EROFS: (path) => `nothing can be written where ${path} is`,
  EADDRINUSE: (path, { port }) =>
    port === undefined
      ? `${path} is taken by another server`
      : `port ${port} is taken: --port 0 takes a free one`,
  EADDRNOTAVAIL: (_, { address }) => `this machine does not have the address ${address}: see --host`,
  ENOTFOUND: (_, error) => `no such host: ${(error as { hostname?: string }).hostname ?? ''}`.trimEnd(),
};

/**
 * A sentence about an error of the operating system, with the cure. The text of the system for errors that have no sentence.
 *
 * @param path The path as the person wrote it. @default that of the error
 */
export function systemErrorText(error: unknown, path?: string): string {
  const known = error as SystemError;
  const shown = path ?? known.path ?? known.address ?? '';
  const sentence = SENTENCES[known.code ?? ''];
  if (sentence !== undefined) return sentence(shown, known);
  // `EIO: i/o error, read` without its code and its call.
  const text = known.message.replace(/^[A-Z]\w+: /, '');
  const call = text.indexOf(`, ${known.syscall}`);
  const reason = call === -1 ? text : text.slice(0, call);
  return path === undefined ? reason : `${path}: ${reason}`;
}

/** Calls the system, whose errors become refusals. @throws Refusal */
export async function refusing<T>(path: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw new Refusal(systemErrorText(cause, path), { cause });
  }
}

/** What a path is; `undefined` when there is nothing, or nobody may look. */
export async function lookAtPath(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/** As `systemErrorText`, for an error whose cause may be one of the system; `undefined` for other errors. */
export function systemReason(error: unknown, path: string): string | undefined {
  const { cause = error } = error as { readonly cause?: unknown };
  const isOfSystem = typeof cause === 'object' && cause !== null && 'syscall' in cause;
  return isOfSystem ? systemErrorText(cause, path) : undefined;
}

/** `: did you mean before.hlog?` when the folder has a file of a similar name and the same ending. */
function similarTo(path: string): string {
  const folder = dirname(path);
  const ending = extname(path);
  try {
    const stems = readdirSync(folder)
      .filter((name) => extname(name) === ending)
      .map((name) => basename(name, ending));
    const found = nearest(basename(path, ending), stems);
    return found === undefined ? '' : `: did you mean ${inFolder(folder, found + ending)}?`;
  } catch {
    // There is no such folder, or nobody may read it.
    return '';
  }
}

function inFolder(folder: string, name: string): string {
  return folder === '.' ? name : join(folder, name);
}

/** The message of a server that could not listen, without the words of the system. */
export function withoutSystemWords(message: string): string {
  return message.replace(
    /listen EADDRINUSE: address already in use (\S+)/,
    '$1 is taken: another port is needed',
  );
}

// Errors of commands.

/** The text of an error for a person. */
export function errorText(error: unknown, { environment }: Pick<Io, 'environment'>): string {
  if (environment.HDRSCOPE_DEBUG && error instanceof Error) return error.stack ?? error.message;
  // Errors of the system may come from another realm.
  if (typeof error === 'object' && error !== null && 'syscall' in error) return systemErrorText(error);
  if (!(error instanceof Error)) return String(error);
  const isExpected = [UsageError, Refusal, HdrscopeError].some((kind) => error instanceof kind);
  return isExpected
    ? withoutOption(error.message)
    : `${error.message}\nThis should not happen: with HDRSCOPE_DEBUG=1 it says where it did.`;
}

/** A cure of programs, an option of a function, is no cure for people at a command line. Another cure comes before it. */
function withoutOption(message: string): string {
  return message.replace(/,? or set max[A-Z][a-zA-Z]*$/, '');
}
