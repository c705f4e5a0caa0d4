type Fields = Record<string, unknown>;

/** Everything that a message between threads may hold where it should not. */
const RUBBISH: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => 0,
  () => 1,
  () => -1,
  () => 1.5,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => 2 ** 53,
  () => 2 ** 53 - 1,
  () => 2 ** 32 - 1,
  () => 1n,
  () => true,
  () => '',
  () => 'x'.repeat(200),
  () => '\u001b[31m\u202e',
  () => '__proto__',
  () => [],
  () => [[]],
  () => [null],
  () => [undefined],
  () => new Array(5),
  () => new Array(2 ** 31),
  () => ({}),
  () => ({ toString: 1, valueOf: 1 }),
  () => ({ constructor: { name: { toString: 1, valueOf: 1 } } }),
  () => ({ length: 3 }),
  () => ({ object: [null] }),
  () => ({ object: [['a']] }),
  () => ({ number: 1 }),
  () => ({ bigint: '9'.repeat(2000) }),
  () => ({ date: 'x' }),
  () => [['k', [undefined]]],
  () => [['k', nested(100)]],
  () => new Map([[1, 2]]),
  () => new Date(Number.NaN),
  () => new Error('e'),
  () => new Uint8Array(3),
  () => new ArrayBuffer(7),
  () => new ArrayBuffer(0),
  () => new Uint32Array([0, 1, 2 ** 32 - 1, 7]).buffer,
  () => new Float64Array([1, -1, Number.NaN]).buffer,
  () => new SharedArrayBuffer(8),
];

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { object: [['k', value]] };
  return value;
}

/** A buffer that was transferred away. It cannot be copied any more. */
function detached(): ArrayBuffer {
  const buffer = new ArrayBuffer(24);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

/** The paths of all values in a message. */
function pathsIn(value: unknown, path: readonly string[] = []): string[][] {
  const isLeaf = typeof value !== 'object' || value === null || ArrayBuffer.isView(value);
  if (isLeaf || value instanceof ArrayBuffer) return [[...path]];
  return [[...path], ...Object.keys(value).flatMap((key) => pathsIn((value as Fields)[key], [...path, key]))];
}

/** Changes a message in one to three places that `isFree`: other values, missing fields, holes, and more or fewer items. */
export function mutate(message: object, random: () => number, isFree: (path: string[]) => boolean): void {
  const paths = pathsIn(message).filter((path) => path.length > 0 && isFree(path));
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes--) {
    const path = pick(paths);
    const key = path.at(-1)!;
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((at, step) => (at as Fields | undefined)?.[step], message);
    if (typeof parent !== 'object' || parent === null) continue;
    const dice = random();
    if (dice < 0.1) Reflect.deleteProperty(parent, key);
    else if (dice < 0.15) (parent as Fields)[key] = detached();
    else if (dice < 0.2 && Array.isArray(parent)) parent.length += 3;
    else if (dice < 0.25 && Array.isArray(parent)) parent.push(parent[0]);
    else if (dice < 0.3) (parent as Fields)[key] = [(parent as Fields)[key]];
    else (parent as Fields)[key] = pick(RUBBISH)();
  }
}
