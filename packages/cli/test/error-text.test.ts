import { HdrscopeError } from '@hdrscope/core';
import { Refusal } from '../src/command.ts';
import { errorText } from '../src/system-error.ts';

const environment = {};

test('a message leaves out options that only programs can set', () => {
  const message =
    'the text must have at most 5 bytes, and has more: decompress it first, or set maxInflatedBytes';
  const shown = 'the text must have at most 5 bytes, and has more: decompress it first';
  expect(errorText(new HdrscopeError('ERR_TOO_LARGE', message), { environment })).toBe(shown);
  expect(errorText(new Refusal(`x.gz: ${message}`), { environment })).toBe(`x.gz: ${shown}`);
});

test('an error that nobody expected shows how to find its place', () => {
  expect(errorText(new TypeError('oh'), { environment })).toBe(
    'oh\nThis should not happen: with HDRSCOPE_DEBUG=1 it says where it did.',
  );
  expect(errorText(new TypeError('oh'), { environment: { HDRSCOPE_DEBUG: '1' } })).toContain('    at ');
  expect(errorText('thrown', { environment })).toBe('thrown');
});
