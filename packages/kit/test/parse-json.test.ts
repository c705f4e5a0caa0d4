import { Budget, parseJson } from '../src/index.ts';

/** Whether a text fits into so many elements. */
function fits(text: string, elements: number, costs?: Parameters<typeof parseJson>[3]): boolean {
  try {
    parseJson(text, 'the text', new Budget('the text', { elements }), costs);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_TOO_LARGE' });
    return false;
  }
}

test.each<[text: string, elements: number, item: number, key: number]>([
  ['[1,2,3,4,5]', 2, 1 / 4, 0],
  ['[[],[],[]]', 4.5, 1 / 4, 0],
  ['{"a":1,"b":2}', 2.25, 1 / 4, 1 / 2],
  ['{"a:b":":,","c":[]}', 3.25, 1 / 4, 1 / 2],
])('items and keys cost what is stated: %s', (text, elements, item, key) => {
  expect(fits(text, elements, { item, key })).toBe(true);
  expect(fits(text, elements - 1 / 8, { item, key })).toBe(false);
});

test('without stated costs an item is an element, and a key costs nothing besides', () => {
  expect(fits('{"a":1,"b":2}', 2)).toBe(true);
  expect(fits('[1,2,3]', 3)).toBe(true);
  expect(fits('[1,2,3]', 2)).toBe(false);
});
