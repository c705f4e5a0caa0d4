/**
 * An `HdrscopeError` of `@hdrscope/core`. This package imports no other package of hdrscope, so it recognises the error by
 * its name.
 */
export interface RefusalError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * The error with which `action` is refused. Any other outcome fails the test.
 *
 * @param code The code that the error must have. @default any code
 */
export function refusalOf(action: () => unknown, code?: string): RefusalError {
  let outcome: unknown;
  try {
    outcome = action();
  } catch (error) {
    if (!isRefusal(error)) throw new Error(`must throw an HdrscopeError, threw ${error}`, { cause: error });
    if (code !== undefined) expect(error.code).toBe(code);
    return error;
  }
  throw new Error(`must be refused, returned ${String(outcome)}`);
}

/** Fails the test unless `action` is refused with this code. */
export function expectRefused(action: () => unknown, code: string): void {
  refusalOf(action, code);
}

function isRefusal(error: unknown): error is RefusalError {
  return error instanceof Error && error.name === 'HdrscopeError';
}

/**
 * Fails the test unless `action` refuses an option that does not exist, with the name that was meant. The action may throw,
 * return a promise that rejects, or return a generator whose first step rejects.
 */
export async function expectMisspelt(action: () => unknown, meant: string): Promise<void> {
  const outcome = Promise.resolve().then(async () => {
    const result = (await action()) as Partial<AsyncGenerator> | undefined;
    return typeof result?.next === 'function' ? result.next() : result;
  });
  await expect(outcome).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringContaining(`did you mean ${meant}?`),
    details: { nearest: meant },
  });
}
