import { type ErrorCode, HdrscopeError } from '@hdrscope/core';

/** The message with which a call is refused by this code. */
export function messageOf(call: () => unknown, code: ErrorCode): string {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(HdrscopeError);
    expect((error as HdrscopeError).code).toBe(code);
    return (error as HdrscopeError).message;
  }
  throw new Error(`nothing was refused, and should have been by ${code}`);
}
