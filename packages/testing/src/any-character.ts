import fc from 'fast-check';

const SURROGATES = 0xd800;
const SURROGATE_COUNT = 0x800;

/**
 * Any character but half of a surrogate pair, as the `unit` of `fc.string`. The unit `'binary'` means the same, and lists all of
 * them first: that takes half a second in each file.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(0x10ffff - SURROGATE_COUNT)
  .map((at) => String.fromCodePoint(at < SURROGATES ? at : at + SURROGATE_COUNT));
