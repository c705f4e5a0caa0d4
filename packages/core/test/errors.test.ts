import { HdrscopeError, mustBe } from '../src/errors.ts';

describe('an HdrscopeError', () => {
  test('has a code, a message and a cause', () => {
    const cause = new Error('the reason');
    const error = new HdrscopeError('ERR_DECODE', 'broken', { cause });
    expect(error).toMatchObject({ name: 'HdrscopeError', code: 'ERR_DECODE', message: 'broken', cause });
    expect(String(error)).toBe('HdrscopeError: broken');
  });

  test('is an error, and has no cause unless it is given one', () => {
    const error = new HdrscopeError('ERR_DECODE', 'broken');
    expect(error).toBeInstanceOf(Error);
    expect('cause' in error).toBe(false);
  });

  test('carries data beside the sentence, and an empty object where there is none', () => {
    expect(new HdrscopeError('ERR_DECODE', 'broken', { details: { line: 7 } }).details).toEqual({ line: 7 });
    expect(new HdrscopeError('ERR_DECODE', 'broken').details).toEqual({});
    expect(mustBe('ERR_INVALID_VALUE', 'value', 'above 0', -1).details).toEqual({
      what: 'value',
      allowed: 'above 0',
      got: -1,
    });
  });

  test('is recognised when another copy of the package has thrown it', () => {
    class OtherCopy extends Error {
      override readonly name = 'HdrscopeError';
    }
    expect(new OtherCopy() instanceof HdrscopeError).toBe(true);
  });

  test.each([
    ['another error', new Error('x')],
    ['a range error', new RangeError('x')],
    ['an object of that name', { name: 'HdrscopeError' }],
    ['null', null],
    ['text', 'HdrscopeError'],
  ])('is not %s', (_what, candidate) => {
    expect((candidate as unknown) instanceof HdrscopeError).toBe(false);
  });
});

describe('a message', () => {
  test.each<[string, unknown, string]>([
    ['a number', 9, '9'],
    ['-0', -0, '-0'],
    ['NaN', Number.NaN, 'NaN'],
    ['a bigint', 12n, '12'],
    ['text', 'a "b"\n', '"a \\"b\\"\\n"'],
    ['no text', '', '""'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['true', true, 'true'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a function', () => 1, 'a function'],
    ['an array', [1, 2, 3], 'an array of 3'],
    ['an object', {}, 'an object'],
    ['an object of a class', new Map(), 'a Map'],
    ['an object of no class', Object.create(null), 'an object'],
    ['an object with a field of that name', { constructor: { name: { toString: 1 } } }, 'an object'],
  ])('echoes %s', (_what, got, echo) => {
    expect(mustBe('ERR_INVALID_OPTION', 'x', 'right', got).message).toBe(`x must be right, got ${echo}`);
  });

  test('cuts long text, and says how long it was', () => {
    const { message } = mustBe('ERR_INVALID_OPTION', 'x', 'short', 'a'.repeat(1000));
    expect(message).toBe(`x must be short, got "${'a'.repeat(79)}… (1000 characters)`);
  });

  test('stays short whatever came', () => {
    for (const got of ['é'.repeat(1e5), 10n ** 5000n, new Array(1000).fill('x'), Symbol('s'.repeat(1000))]) {
      expect(mustBe('ERR_INVALID_OPTION', 'x', 'short', got).message.length).toBeLessThan(200);
    }
  });
});
