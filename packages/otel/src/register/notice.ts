import { isMainThread } from 'node:worker_threads';

/** The codes of the warnings that `register` prints, besides those of `HdrscopeError`. */
export type NoticeCode =
  | 'HDRSCOPE_LEFT_OUT'
  | 'HDRSCOPE_LOST'
  | 'HDRSCOPE_MISSING_PACKAGE'
  | 'HDRSCOPE_NO_INSTRUMENTATION'
  | 'HDRSCOPE_NO_ROUTE'
  | 'HDRSCOPE_NO_SDK'
  | 'HDRSCOPE_OLD_NODE'
  | 'HDRSCOPE_SERIES_LIMIT'
  | 'HDRSCOPE_TOO_LATE'
  | 'HDRSCOPE_UNREACHABLE'
  | 'HDRSCOPE_UNUSED_VIEW'
  | 'HDRSCOPE_FAILED';

const TYPE = 'hdrscope';
const said = new Set<string>();

/** Prints a warning of the process, once for each text, in the main thread only. `--disable-warning=CODE` silences it. */
export function notice(code: NoticeCode | `ERR_${string}`, message: string): void {
  if (isNew(message)) process.emitWarning(message, { type: TYPE, code });
}

/** `notice` for a process that ends: `process.emitWarning` would print a moment later, when the process is gone. */
export function noticeNow(code: NoticeCode, message: string): void {
  if (isNew(message)) process.emit('warning', Object.assign(new Error(message), { name: TYPE, code }));
}

function isNew(message: string): boolean {
  if (said.has(message)) return false;
  said.add(message);
  return isMainThread;
}
