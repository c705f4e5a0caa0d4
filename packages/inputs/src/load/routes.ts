// Routes of paths. Paths have identities in them, and a route is what paths of one kind have in common: /cart/:id.

/** Stands for a segment that differs from request to request. */
const ID = ':id';
/** The route of paths beyond {@link MOST_NODES}. */
const OTHER = '(other)';
/** The route of requests that were answered with 404 and have no route of other requests: scans for paths that do not exist. */
const NOT_FOUND = '(not found)';

/** A segment with more values than this is an identity. */
const MOST_VALUES = 100;
/** Segments of all routes. More must not fill the memory. */
const MOST_NODES = 20_000;
/** Longer paths have their first segments only. */
const MOST_SEGMENTS = 32;
const LONGEST_SEGMENT = 200;

/** The routes that begin with the same segments. */
interface Node {
  /** The route that ends here. */
  route: string;
  /** By the next segment; {@link ID} alone when it has too many values. */
  children: Map<string, Node>;
  isAny: boolean;
}

/**
 * Names the routes of paths. A route that is stated comes first. In other paths, numbers, UUIDs, hexadecimal numbers, dates and long
 * tokens become `:id`, and so does a segment that has more than 100 values: {@link Routes.settle} renames the routes of before.
 */
export class Routes {
  readonly #stated: readonly (readonly string[])[];
  readonly #statedNames: ReadonlySet<string>;
  readonly #root: Node = newNode('');
  #nodes = 1;

  /** @param stated Routes as in `/cart/:id`. A segment that begins with a colon has any value, and a last `*` any segments. */
  constructor(stated: readonly string[] = []) {
    this.#stated = stated.map(segmentsOf);
    this.#statedNames = new Set(this.#stated.map((route) => `/${route.join('/')}`));
  }

  /** The route of a path without its query, by what is known so far. @param isMissing Whether it was answered with 404. */
  name(path: string, isMissing: boolean): string {
    if (this.#stated.length > 0) {
      const segments = segmentsOf(path);
      for (const route of this.#stated) if (fits(route, segments)) return `/${route.join('/')}`;
    }
    let node = this.#root;
    let segments = 0;
    for (
      let from = path.startsWith('/') ? 1 : 0;
      from <= path.length && segments < MOST_SEGMENTS;
      segments++
    ) {
      const end = path.indexOf('/', from);
      const to = end === -1 ? path.length : end;
      const found = this.#next(node, path.slice(from, to), isMissing);
      if (typeof found === 'string') return found;
      node = found;
      from = to + 1;
    }
    return node.route;
  }

  /** A route of before, by what is known now. */
  settle(route: string): string {
    if (!route.startsWith('/') || this.#statedNames.has(route)) return route;
    const segments = route.slice(1).split('/');
    let node: Node | undefined = this.#root;
    for (let at = 0; at < segments.length && node !== undefined; at++) {
      if (node.isAny) segments[at] = ID;
      node = node.children.get(segments[at]!);
    }
    return `/${segments.join('/')}`;
  }

  /** The node behind a segment, or the route of a path that gets none. */
  #next(node: Node, segment: string, isMissing: boolean): Node | string {
    // A segment that is there is no identity.
    const known = node.children.get(node.isAny ? ID : segment);
    if (known !== undefined) return known;
    const key = shownSegment(segment);
    const found = key === segment ? undefined : node.children.get(key);
    if (found !== undefined) return found;
    if (isMissing) return NOT_FOUND;
    return this.#nodes >= MOST_NODES ? OTHER : this.#grow(node, node.isAny ? ID : key);
  }

  #grow(node: Node, segment: string): Node {
    const found = newNode(`${node.route}/${segment}`);
    this.#nodes++;
    node.children.set(segment, found);
    if (node.isAny || node.children.size <= MOST_VALUES) return found;
    this.#join(node);
    return node.children.get(ID)!;
  }

  /** Makes one of all children of a node. */
  #join(node: Node): void {
    const joined = newNode(`${node.route}/${ID}`);
    const { children } = node;
    node.children = new Map([[ID, joined]]);
    node.isAny = true;
    for (const child of children.values()) this.#merge(joined, child);
    this.#nodes -= children.size - 1;
  }

  #merge(into: Node, from: Node): void {
    if (from.isAny && !into.isAny) this.#join(into);
    for (const [segment, child] of from.children) {
      const key = into.isAny ? ID : segment;
      const found = into.children.get(key) ?? this.#grow(into, key);
      this.#nodes--;
      this.#merge(found, child);
    }
  }
}

function newNode(route: string): Node {
  return { route, children: new Map(), isAny: false };
}

function segmentsOf(path: string): string[] {
  return path.replace(/^\//, '').split('/');
}

function fits(route: readonly string[], segments: readonly string[]): boolean {
  const isOpen = route.at(-1) === '*';
  if (isOpen ? segments.length < route.length : segments.length !== route.length) return false;
  return route.every(
    (one, at) => one.startsWith(':') || one === segments[at] || (isOpen && at === route.length - 1),
  );
}

const NUMBER = /^\d+$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const HEX = /^(?=.*\d)[\da-f]{8,}$/i;
const DATE = /^\d{4}-\d\d(?:-\d\d)?(?:T[\d:.]+Z?)?$/;
const TOKEN = /^(?=.*\d)(?=.*[a-z])[\w-]{20,}$/i;

/** A segment, or `:id` where its form shows that it is an identity; the ending of a file stays. */
function shownSegment(segment: string): string {
  if (segment.length > LONGEST_SEGMENT) return ID;
  if (!/\d/.test(segment)) return segment;
  const dot = segment.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [segment.slice(0, dot), segment.slice(dot)] : [segment, ''];
  if (isIdentity(segment)) return ID;
  return ending !== '' && /^\.[a-z]\w{0,9}$/i.test(ending) && isIdentity(stem) ? ID + ending : segment;
}

function isIdentity(text: string): boolean {
  return NUMBER.test(text) || UUID.test(text) || HEX.test(text) || DATE.test(text) || TOKEN.test(text);
}
