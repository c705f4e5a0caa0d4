import fc from 'fast-check';
import { canonicalText } from '../src/internal.ts';
import { TextTable } from '../src/text-table.ts';
import { attributes } from './support/arbitraries.ts';

test('finds what was added and not removed, by the text of its attributes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(attributes, fc.boolean()), { maxLength: 30 }), (steps) => {
      const table = new TextTable<{ attributes: Readonly<Record<string, unknown>> }>();
      const model = new Map<string, { attributes: Readonly<Record<string, unknown>> }>();
      for (const [set, isRemoved] of steps) {
        const text = canonicalText(set);
        const known = model.get(text);
        expect(table.find(text)).toBe(known);
        if (known === undefined) {
          const item = { attributes: set };
          table.add(text, item);
          model.set(text, item);
        } else if (isRemoved) {
          table.remove(text, known);
          model.delete(text);
        }
      }
      for (const [text, item] of model) expect(table.find(text)).toBe(item);
    }),
  );
});

test('keeps items apart whose texts have one hash', () => {
  // Found by search: both texts have the hash of the other.
  const [first, second] = collidingTexts();
  const [a, b] = [{ attributes: { key: first } }, { attributes: { key: second } }];
  const [textA, textB] = [canonicalText(a.attributes), canonicalText(b.attributes)];
  const table = new TextTable<typeof a>();
  table.add(textA, a);
  expect(table.find(textB)).toBeUndefined();
  table.add(textB, b);
  expect([table.find(textA), table.find(textB)]).toEqual([a, b]);
  table.remove(textA, a);
  expect([table.find(textA), table.find(textB)]).toEqual([undefined, b]);
  table.remove(textB, b);
  expect(table.find(textB)).toBeUndefined();
});

/** Two values whose attributes have texts of one hash: among 2^17 of them there are a few. */
function collidingTexts(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let i = 0; ; i++) {
    const value = i.toString(36);
    const text = canonicalText({ key: value });
    let hash = 0x811c9dc5;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    const other = seen.get(hash >>> 2);
    if (other !== undefined) return [other, value];
    seen.set(hash >>> 2, value);
  }
}
