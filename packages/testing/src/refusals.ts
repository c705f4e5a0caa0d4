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

const WRONG_KINDS = [null, {}, [], 'x', Number.NaN, 10n, 7, true, () => {}];

/**
 * Fails the test unless a function checks its options by a table: it refuses what is no object, a misspelt option, and an option of a wrong kind
 * with `ERR_INVALID_OPTION`. A value that the type of an option allows may have any outcome but a `TypeError`.
 *
 * @param call Passes options to the function. What it returns is closed.
 * @param required The options that the function needs. @default no options
 */
export async function expectOptionsChecked(
  call: (options: never) => unknown,
  required: object = {},
): Promise<void> {
  const errorOf = async (options: unknown): Promise<Partial<RefusalError> | undefined> => {
    try {
      const result = (await call(options as never)) as { next?(): unknown; close?(): unknown } | undefined;
      if (typeof result === 'function') (result as () => void)();
      else await (typeof result?.next === 'function' ? result.next() : result?.close?.());
      return undefined;
    } catch (error) {
      return error as RefusalError;
    }
  };
  for (const options of [null, 7, 'x', []])
    expect(await errorOf(options)).toMatchObject({ code: 'ERR_INVALID_OPTION' });
  const unknown = await errorOf({ ...required, 'no option': 1 });
  const names = unknown?.details?.names as readonly string[];
  const misspelt = await errorOf({ ...required, [`${names[0]}x`]: 1 });
  expect(misspelt).toMatchObject({ code: 'ERR_INVALID_OPTION', details: { nearest: names[0] } });
  for (const name of names) {
    for (const value of WRONG_KINDS) {
      const error = await errorOf({ ...required, [name]: value });
      if (error?.name === 'TypeError') throw new Error(`${name}: ${typeof value} ${value}`, { cause: error });
    }
    expect(await errorOf({ ...required, [name]: Symbol('no value') })).toMatchObject({
      code: 'ERR_INVALID_OPTION',
    });
  }
}
