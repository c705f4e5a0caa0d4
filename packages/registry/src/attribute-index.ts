import type { Attributes } from './attributes.ts';

/** A step on the way from a set of attributes to its target: one key, and where each of its values leads. */
interface Node<Target> {
  target: Target | undefined;
  /** The key that most paths take from here. */
  key: string | undefined;
  byValue: Map<unknown, Node<Target>> | undefined;
  /** Paths that take another key, as sets with other keys or in another order do. */
  otherKeys: Map<string, Map<unknown, Node<Target>>> | undefined;
}

/**
 * Finds what belongs to a set of attributes without serialising it: one map look-up per attribute, in the order in
 * which the caller's object has them. Sets that are equal but ordered otherwise, or that hold arrays (which maps
 * compare by identity), are not found here; the caller resolves those by their canonical text, and may `learn` the
 * order.
 */
export class AttributeIndex<Target> {
  readonly #root: Node<Target> = emptyNode();
  readonly #mostNodes: number;
  #nodes = 0;

  /** @param mostNodes Bounds memory: beyond it nothing more is learnt. */
  constructor(mostNodes: number) {
    this.#mostNodes = mostNodes;
  }

  find(attributes: Attributes): Target | undefined {
    let node = this.#root;
    for (const key in attributes) {
      const next = edgesOf(node, key)?.get(attributes[key]);
      if (next === undefined) return undefined;
      node = next;
    }
    return node.target;
  }

  /** Makes `find` answer `target` for attributes with these values in this order. */
  learn(attributes: Attributes, target: Target): void {
    for (const key in attributes) if (typeof attributes[key] === 'object') return;
    let node = this.#root;
    for (const key in attributes) {
      let next = edgesOf(node, key)?.get(attributes[key]);
      if (next === undefined) {
        if (this.#nodes >= this.#mostNodes) return;
        this.#nodes++;
        next = emptyNode();
        this.#edges(node, key).set(attributes[key], next);
      }
      node = next;
    }
    node.target = target;
  }

  #edges(node: Node<Target>, key: string): Map<unknown, Node<Target>> {
    node.key ??= key;
    if (key === node.key) {
      node.byValue ??= new Map();
      return node.byValue;
    }
    node.otherKeys ??= new Map();
    const edges = node.otherKeys.get(key) ?? new Map();
    node.otherKeys.set(key, edges);
    return edges;
  }
}

function edgesOf<Target>(node: Node<Target>, key: string): Map<unknown, Node<Target>> | undefined {
  return key === node.key ? node.byValue : node.otherKeys?.get(key);
}

function emptyNode<Target>(): Node<Target> {
  return { target: undefined, key: undefined, byValue: undefined, otherKeys: undefined };
}
