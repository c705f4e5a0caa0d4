/**
 * Finds items of a list that are asked for in nearly the order of the list, each once. As long as the order is the same this
 * takes a comparison; after the first difference, a map of all items.
 *
 * @param keyOf The key of an item: compared by identity, and different for all items.
 * @returns The place of the item with a key, or `undefined`.
 * @example
 * ```ts
 * import { placesIn } from '@hdrscope/kit';
 *
 * const placeOf = placesIn(['a', 'b', 'c', 'd'], (letter) => letter);
 * ['a', 'c', 'x', 'd'].map(placeOf); //=> [0, 2, undefined, 3]
 * ```
 */
export function placesIn<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): (key: Key) => number | undefined {
  let next = 0;
  let places: Map<Key, number> | undefined;
  return (key) => {
    if (next < items.length && keyOf(items[next]!) === key) return next++;
    places ??= new Map(items.map((item, place) => [keyOf(item), place]));
    const place = places.get(key);
    if (place !== undefined) next = place + 1;
    return place;
  };
}
