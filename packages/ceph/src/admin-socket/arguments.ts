import { mustBe } from '@hdrscope/core/internal';
import type { JsonValue } from '../json-text.ts';

/** The type of an argument. Clients read a command line by it. A `'choice'` is one of `choices`. */
export type ArgumentType = 'string' | 'int' | 'float' | 'bool' | 'choice';

/** A checked argument: an array for a `repeated` one. */
export type ArgumentValue = string | number | boolean | readonly (string | number | boolean)[];

/** An argument of a command. */
export interface AdminArgument {
  /** Letters, digits and `_`. The names `prefix`, `format` and `target` belong to the clients. */
  readonly name: string;
  /** How the value is read. @default 'string' */
  readonly type?: ArgumentType;
  /** Optional arguments come after required ones. @default true */
  readonly required?: boolean;
  /** The words of a choice, without `|`. @default no words, which only other types allow */
  readonly choices?: readonly string[];
  /** Whether it is an array of the rest of the command line. Only the last argument can be. @default false */
  readonly repeated?: boolean;
}

const CEPH_TYPES = {
  string: 'CephString',
  int: 'CephInt',
  float: 'CephFloat',
  bool: 'CephBool',
  choice: 'CephChoices',
} as const satisfies Record<ArgumentType, string>;

const TAKEN_NAMES = ['prefix', 'format', 'target'];

/** @throws HdrscopeError `ERR_INVALID_OPTION`. */
export function assertArguments(prefix: string, args: readonly AdminArgument[]): void {
  for (const [i, arg] of args.entries()) {
    const { name, type = 'string', required = true, choices, repeated = false } = arg;
    const what = `argument ${i + 1} of the command '${prefix}'`;
    if (!/^[A-Za-z_]\w*$/.test(name) || TAKEN_NAMES.includes(name)) {
      throw mustBe('ERR_INVALID_OPTION', what, `a name that is not ${TAKEN_NAMES.join(', ')}`, name);
    }
    if (args.findIndex((other) => other.name === name) < i) {
      throw mustBe('ERR_INVALID_OPTION', what, 'different from the names before it', name);
    }
    if (!Object.hasOwn(CEPH_TYPES, type)) {
      throw mustBe('ERR_INVALID_OPTION', `type of ${what}`, Object.keys(CEPH_TYPES).join(', '), type);
    }
    if (type === 'choice' && !(choices?.length && choices.every(isChoice))) {
      throw mustBe('ERR_INVALID_OPTION', `choices of ${what}`, 'words without |', String(choices));
    }
    if (required && args[i - 1]?.required === false) {
      throw mustBe(
        'ERR_INVALID_OPTION',
        what,
        'optional, as the argument before it is',
        'a required argument',
      );
    }
    if (repeated && i < args.length - 1) {
      throw mustBe(
        'ERR_INVALID_OPTION',
        `repeated of ${what}`,
        'false unless it is the last argument',
        repeated,
      );
    }
  }
}

function isChoice(choice: string): boolean {
  return /^[^|\s]+$/.test(choice);
}

/** The description of an argument for clients. As in Ceph, its keys are sorted and `req` is a string. */
export function descriptorOf({
  name,
  type = 'string',
  required,
  choices,
  repeated,
}: AdminArgument): JsonValue {
  return {
    ...(repeated && { n: 'N' }),
    name,
    ...(required === false && { req: 'false' }),
    ...(type === 'choice' && { strings: choices!.join('|') }),
    type: CEPH_TYPES[type],
  };
}

/** Whether a value in a request is right for an argument. */
export function fits(arg: AdminArgument, value: unknown): value is ArgumentValue | undefined {
  if (value === undefined) return arg.required === false;
  if (!arg.repeated) return isOne(arg, value);
  return Array.isArray(value) && value.every((one) => isOne(arg, one));
}

function isOne({ type = 'string', choices }: AdminArgument, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'choice':
      return typeof value === 'string' && choices!.includes(value);
    case 'int':
      return Number.isSafeInteger(value);
    case 'float':
      return typeof value === 'number';
    case 'bool':
      return typeof value === 'boolean';
  }
}
