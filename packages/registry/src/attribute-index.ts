import type { Attributes } from './attributes.ts';

/** A node on the path from a set of attributes to its target: one key, and the next node for each of its values. */
interface Node<Target> {
  target: Target | undefined;
  /** The key that most paths take from here. */
  key: string | undefined;
  byValue: Map<unknown, Node<Target>> | undefined;
  /** The paths of other keys: sets with other keys, or with their keys in another order, take them. */
  otherKeys: Map<string, Map<unknown, Node<Target>>> | undefined;
}

/**
 * Finds the target of a set of attributes without serialising the set: one map look-up for each attribute, in the
 * order of the caller's object. Equal sets in another order, and sets with arrays (which maps compare by identity),
 * are not found here. The caller resolves those by their canonical text, and may have the index `learn` the order.
 */
export class AttributeIndex<Target> {
  readonly #root: Node<Target> = emptyNode();
  readonly #mostNodes: number;
  #nodes = 0;

  /** @param mostNodes The limit of nodes, which bounds the memory: beyond it, nothing more is learnt. */
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

  /** Makes `find` return `target` for attributes with these values in this order. */
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
