import { Budget } from '@hdrscope/kit';
import { createRegistry } from '../src/index.ts';
import { familyFromJson, familyToJson } from '../src/remote/definitions.ts';
import { createSnapshot } from '../src/snapshot.ts';

const unlimited = (): Budget => new Budget('the message', {});

describe('the boundaries of a family', () => {
  test('are in its snapshots, and cannot be changed from outside', async () => {
    const given = [1, 4, 9];
    const registry = createRegistry();
    registry.histogram({ name: 'depth', boundaries: given });
    given[0] = 7;
    const snapshot = await registry.gather();
    expect(snapshot.families[0]!.boundaries).toEqual([1, 4, 9]);
    expect(snapshot.since(createSnapshot(0, [], [])).families[0]!.boundaries).toEqual([1, 4, 9]);
  });

  test('are undefined by default', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'depth' });
    expect((await registry.gather()).families[0]!.boundaries).toBeUndefined();
  });

  test('are not part of the identity of a family', () => {
    const registry = createRegistry();
    const family = registry.histogram({ name: 'depth', boundaries: [1, 2] });
    expect(registry.histogram({ name: 'depth' })).toBe(family);
    expect(registry.histogram({ name: 'depth', boundaries: [3] })).toBe(family);
    expect(family.boundaries).toEqual([1, 2]);
  });

  test.each([[[2, 1]], [[1, 1]], [[Number.NaN]], [[1, Number.POSITIVE_INFINITY]]])(
    'are refused when they are %j',
    (boundaries) => {
      expect(() => createRegistry().histogram({ name: 'depth', boundaries })).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_OPTION' }),
      );
    },
  );

  test('cross to another registry', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'depth', boundaries: [1, 4] });
    registry.histogram({ name: 'size' });
    const { families } = await registry.gather();
    const [depth, size] = JSON.parse(
      JSON.stringify(families.map((family) => familyToJson(family, registry.family(family)!))),
    );
    expect([depth, size].map((json) => familyFromJson(json, 'family', unlimited()).boundaries)).toEqual([
      [1, 4],
      undefined,
    ]);
    depth.boundaries = [1, 'x'];
    expect(() => familyFromJson(depth, 'family', unlimited())).toThrow(
      'family.boundaries[1] must be a finite number, got "x"',
    );
  });
});
