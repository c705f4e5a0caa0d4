import { type Attributes, canonicalText } from './attributes.ts';

/** Something that attributes identify. */
interface Attributed {
  readonly attributes: Attributes;
}

/**
 * Finds items by the canonical text of their attributes. It keeps numbers in place of the texts, which would take as much memory as all else
 * that a series has besides its counts; so a look-up makes the text of the item again.
 */
export class TextTable<Item extends Attributed> {
  /** By the hash of the text: nearly always one item, and else a list. */
  readonly #byHash = new Map<number, Item | Item[]>();

  find(text: string): Item | undefined {
    const found = this.#byHash.get(hashOf(text));
    if (Array.isArray(found)) return found.find((item) => canonicalText(item.attributes) === text);
    return found !== undefined && canonicalText(found.attributes) === text ? found : undefined;
  }

  /** Adds an item whose text is not in the table yet. */
  add(text: string, item: Item): void {
    const hash = hashOf(text);
    const found = this.#byHash.get(hash);
    if (found === undefined) this.#byHash.set(hash, item);
    else this.#byHash.set(hash, Array.isArray(found) ? [...found, item] : [found, item]);
  }

  remove(text: string, item: Item): void {
    const hash = hashOf(text);
    const found = this.#byHash.get(hash);
    const left = Array.isArray(found) ? found.filter((other) => other !== item) : [];
    if (left.length > 0) this.#byHash.set(hash, left);
    else this.#byHash.delete(hash);
  }
}

/** FNV-1a, in the 30 bits that V8 keeps in place: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 2;
}
