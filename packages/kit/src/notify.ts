/**
 * Calls a listener of somebody else. If it throws, the caller continues, and the process emits the error as a warning.
 *
 * @example
 * ```ts
 * import { notify } from '@hdrscope/kit';
 *
 * const heard: string[] = [];
 * notify(() => heard.push('recovered'));
 * heard; //=> ['recovered']
 * ```
 */
export function notify(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    warn(error);
  }
}

/** Emits an error as a warning of the process. */
export function warn(error: unknown): void {
  const { name = 'Error', message = String(error), stack = '' } = (error ?? {}) as Partial<Error>;
  // Not the error itself: `emitWarning` throws for an error of another realm, and for anything that is not a text.
  process.emitWarning(String(message), { type: String(name), detail: String(stack) });
}
