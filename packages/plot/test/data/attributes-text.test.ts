import { attributePairs, attributesText } from '../../src/data/attributes-text.ts';

test('attributes are in the order of their keys, and their values as people read them', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const attributes = { route: '/a, b', ok: true, list: ['x', 1], nothing: null, size: { w: 1 }, cycle };
  expect(attributePairs(attributes as Parameters<typeof attributePairs>[0])).toEqual([
    'cycle=an object',
    'list=[x, 1]',
    'nothing=null',
    'ok=true',
    'route=/a, b',
    'size={"w":1}',
  ]);
});

test('no attributes make an empty text', () => {
  expect([attributePairs({}), attributesText({})]).toEqual([[], '']);
  expect(attributesText({ b: 2, a: 'x' })).toBe('a=x, b=2');
});
