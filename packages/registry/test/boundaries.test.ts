import { createRegistry } from '../src/registry.ts';
import { readState, stateMessage } from '../src/remote/wire.ts';
import { createSnapshot } from '../src/snapshot.ts';

const STATE = {
  request: 1,
  instance: 'one',
  sequence: 1,
  isLast: false,
  cardinalityLimitOf: () => 10,
};

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

  test('are in the state of a remote registry', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'depth', boundaries: [1, 4] });
    registry.histogram({ name: 'size' });
    const message = JSON.parse(JSON.stringify(stateMessage(await registry.gather(), STATE)));
    expect(readState(message)!.families.map(({ boundaries }) => boundaries)).toEqual([[1, 4], undefined]);
    message.families[0].boundaries = [1, 'x'];
    expect(() => readState(message)).toThrow(
      'state.families[0].boundaries[1] must be a finite number, got "x"',
    );
  });
});
