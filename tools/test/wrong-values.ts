import type { Kind } from '../lib/public-functions.js';

/** A value that an option can get by accident. */
interface WrongValue {
  readonly name: string;
  /** `hostile`: it may stand for an object with any properties. */
  readonly kind: Kind | 'hostile';
  readonly value: unknown;
}

/** An object that refuses all that is asked of it. */
const hostile = new Proxy(
  {},
  {
    get: () => refuse(),
    has: () => refuse(),
    ownKeys: () => refuse(),
    getOwnPropertyDescriptor: () => refuse(),
    getPrototypeOf: () => refuse(),
  },
);

/** What the hostile object throws. */
export const HOSTILITY = new Error('a property of a hostile object was read');

function refuse(): never {
  throw HOSTILITY;
}

export const WRONG_VALUES: readonly WrongValue[] = [
  { name: 'null', kind: 'null', value: null },
  { name: 'NaN', kind: 'number', value: Number.NaN },
  { name: '-1', kind: 'number', value: -1 },
  { name: '1.5', kind: 'number', value: 1.5 },
  { name: 'the largest number', kind: 'number', value: Number.MAX_VALUE },
  { name: '10n', kind: 'bigint', value: 10n },
  { name: 'a symbol', kind: 'symbol', value: Symbol('wrong') },
  { name: 'an empty text', kind: 'string', value: '' },
  { name: 'a text', kind: 'string', value: 'x' },
  { name: 'an empty array', kind: 'array', value: [] },
  { name: 'an array of null', kind: 'array', value: [null] },
  { name: 'an empty object', kind: 'object', value: {} },
  { name: 'an object without a prototype', kind: 'object', value: Object.create(null) },
  { name: 'a hostile object', kind: 'hostile', value: hostile },
  { name: 'a function', kind: 'function', value: () => undefined },
  { name: 'true', kind: 'boolean', value: true },
  { name: 'a date', kind: 'object', value: new Date(0) },
];

/** What stands in the place of options by accident. */
export const WRONG_OPTIONS: readonly WrongValue[] = [
  { name: 'null', kind: 'null', value: null },
  { name: 'a number', kind: 'number', value: 7 },
  { name: 'a text', kind: 'string', value: 'x' },
  { name: 'an array', kind: 'array', value: [] },
];
