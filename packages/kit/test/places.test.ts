import fc from 'fast-check';
import { placesIn } from '../src/index.ts';

test('a place is that of the key in the list, in whatever order keys are asked for', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(30)), fc.array(fc.nat(35)), (items, keys) => {
      const placeOf = placesIn(items, (item) => item);
      for (const key of keys) {
        const place = items.indexOf(key);
        expect(placeOf(key)).toBe(place < 0 ? undefined : place);
      }
    }),
  );
});
