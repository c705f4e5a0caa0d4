import { mustBe } from '@hdrscope/core';
import type { JsonValue } from '../json-text.ts';

/** What clients tell apart on a command line. A choice is one of `choices`. */
export type ArgumentType = 'string' | 'int' | 'float' | 'bool' | 'choice';

export type ArgumentValue = string | number | boolean | readonly (string | number | boolean)[];

/** An argument of a command. */
export interface AdminArgument {
  /** Letters, digits and `_`; not `prefix`, `format` or `target`, which clients send themselves. */
  readonly name: string;
  /** @default 'string' */
  readonly type?: ArgumentType;
  /** What is not required comes after what is. @default true */
  readonly required?: boolean;
  /** Of a choice: words without `|`. */
  readonly choices?: readonly string[];
  /** Whether it takes all that is left of a command line, as an array. Only the last one can. @default false */
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
      throw mustBe('ERR_INVALID_OPTION', what, 'called otherwise than those before', name);
    }
    if (!Object.hasOwn(CEPH_TYPES, type)) {
      throw mustBe('ERR_INVALID_OPTION', `type of ${what}`, Object.keys(CEPH_TYPES).join(', '), type);
    }
    if (type === 'choice' && !(choices?.length && choices.every(isChoice))) {
      throw mustBe('ERR_INVALID_OPTION', `choices of ${what}`, 'words without |', String(choices));
    }
    if (required && args[i - 1]?.required === false) {
      throw mustBe('ERR_INVALID_OPTION', what, 'optional, as the one before', 'a required one');
    }
    if (repeated && i < args.length - 1) {
      throw mustBe('ERR_INVALID_OPTION', `repeated of ${what}`, 'false where others follow', repeated);
    }
  }
}

function isChoice(choice: string): boolean {
  return /^[^|\s]+$/.test(choice);
}

/** How a command tells clients of an argument. Its keys are sorted; `req` is text. */
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

/** Whether a request has what an argument wants. */
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
