import type { Attributes } from './attributes.ts';

/** A node on the path from a set of attributes to its target: one key, and the next node for each of its values. */
interface Node<Target> {
  target: Target | undefined;
  /** The key that most paths take from here. */
  key: string | undefined;
  // Most nodes have one edge only, and a map takes four times the memory of a node.
  /** The first value of the key, and the node that it leads to. */
  value: unknown;
  next: Node<Target> | undefined;
  /** The nodes that other values of the key lead to. */
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
      const next = nodeAfter(node, key, attributes[key]);
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
      let next = nodeAfter(node, key, attributes[key]);
      if (next === undefined) {
        if (this.#nodes >= this.#mostNodes) return;
        this.#nodes++;
        next = emptyNode();
        connect(node, key, attributes[key], next);
      }
      node = next;
    }
    node.target = target;
  }

  /** Makes `find` return `undefined` for attributes with these values in this order. */
  forget(attributes: Attributes): void {
    let node: Node<Target> | undefined = this.#root;
    for (const key in attributes) {
      node = nodeAfter(node, key, attributes[key]);
      if (node === undefined) return;
    }
    node.target = undefined;
  }
}

function nodeAfter<Target>(node: Node<Target>, key: string, value: unknown): Node<Target> | undefined {
  if (key !== node.key) return node.otherKeys?.get(key)?.get(value);
  return node.value === value ? node.next : node.byValue?.get(value);
}

function connect<Target>(node: Node<Target>, key: string, value: unknown, next: Node<Target>): void {
  if (node.key === undefined) {
    node.key = key;
    node.value = value;
    node.next = next;
  } else if (key === node.key) {
    node.byValue ??= new Map();
    node.byValue.set(value, next);
  } else {
    node.otherKeys ??= new Map();
    const edges = node.otherKeys.get(key) ?? new Map();
    node.otherKeys.set(key, edges);
    edges.set(value, next);
  }
}

function emptyNode<Target>(): Node<Target> {
  return {
    target: undefined,
    key: undefined,
    value: undefined,
    next: undefined,
    byValue: undefined,
    otherKeys: undefined,
  };
}
