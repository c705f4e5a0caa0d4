import { readFileSync, statSync } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import type { Field } from '../bpf/fields.ts';
import { keptName } from '../bpf/memory.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { BPFTRACE_HIST_SLOTS, bpftraceHistLayout, bpftraceLhistLayout } from '../layout/presets.ts';
import { mapIdsOfProcess, namesIn, readTextFile } from '../system-files.ts';

/** A map of a bpftrace script, as the script fills it: `@usecs[comm] = hist($us)`. */
export interface ScriptMap {
  /** Name with its `@`. */
  readonly name: string;
  /** The function of its values: `hist`, `count`; empty when the values are something else. */
  readonly call: string;
  /** The expressions in the parentheses, each as its tokens. */
  readonly args: readonly Tokens[];
  readonly keys: readonly Tokens[];
}

type Tokens = readonly string[];

const TOKEN =
  /(?<skip>\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|"(?:[^"\\]|\\[\s\S]?)*"?|#[^\n]*|@\w*|\$?\w+|==|!=|<=|>=|[\s\S]/g;

/**
 * The maps of a script with the functions that fill them. bpftrace gives a map one type, so one assignment shows it. Maps
 * that a script fills in different ways, which bpftrace refuses, are left out.
 */
export function mapsOfScript(script: string): readonly ScriptMap[] {
  const tokens = [...script.matchAll(TOKEN)]
    .filter(({ groups }) => groups?.skip === undefined)
    .map(([token]) => token);
  const integers = macrosIn(tokens);
  const found = new Map<string, ScriptMap | undefined>();
  for (const [at, name] of tokens.entries()) {
    if (!name.startsWith('@')) continue;
    const one = assignmentAt(tokens, at, integers);
    if (one === undefined) continue;
    const known = found.get(name);
    const isSame = known === undefined || fillOf(known) === fillOf(one);
    found.set(name, !found.has(name) || (known !== undefined && isSame) ? (known ?? one) : undefined);
  }
  return [...found.values()].filter((map) => map !== undefined);
}

/** The map as it is filled, apart from the values. */
function fillOf({ call, args, keys }: ScriptMap): string {
  return JSON.stringify([call, args.slice(1), keys.length]);
}

/** Integers that the preprocessor replaces: `#define MAX 100`. */
function macrosIn(tokens: Tokens): ReadonlyMap<string, string> {
  const definitions = tokens.flatMap((token) => {
    const [, name, value] = /^#\s*define\s+(\w+)\s+(\S+)\s*$/.exec(token) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return new Map(definitions);
}

function assignmentAt(
  tokens: Tokens,
  at: number,
  macros: ReadonlyMap<string, string>,
): ScriptMap | undefined {
  const name = tokens[at]!;
  const keys = listAt(tokens, at + 1, '[');
  const equals = keys?.end ?? at + 1;
  if (tokens[equals] !== '=') return undefined;
  const call = tokens[equals + 1] ?? '';
  const args = listAt(tokens, equals + 2, '(');
  const isCall = args !== undefined && [';', '}', undefined].includes(tokens[args.end]);
  const replaced = (part: Tokens): Tokens => part.map((token) => macros.get(token) ?? token);
  return {
    name,
    call: isCall ? call : '',
    args: isCall ? args.parts.map(replaced) : [],
    keys: keys?.parts ?? [],
  };
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** A longer list is not worth its time. */
const LONGEST_LIST = 1000;

/** The parts of a list in brackets that begins at a token, and the token after it. */
function listAt(
  tokens: Tokens,
  at: number,
  bracket: '(' | '[',
): { readonly parts: readonly Tokens[]; readonly end: number } | undefined {
  if (tokens[at] !== bracket) return undefined;
  const open: string[] = [];
  const parts: string[][] = [[]];
  for (let i = at; i < Math.min(tokens.length, at + LONGEST_LIST); i++) {
    const token = tokens[i]!;
    if (token in CLOSING) open.push(CLOSING[token]!);
    else if (token === open.at(-1)) open.pop();
    if (open.length === 0) return { parts: parts[0]!.length === 0 ? [] : parts, end: i + 1 };
    if (token === ',' && open.length === 1) parts.push([]);
    else if (i > at) parts.at(-1)!.push(token);
  }
  return undefined;
}

/** The functions of bpftrace whose maps hold histograms. */
export function isHistogram({ call }: ScriptMap): boolean {
  return call === 'hist' || call === 'lhist';
}

/** A map of a script as text: `@usecs = lhist(…, 0, 100, 10)`. */
export function titleOfScriptMap({ name, call, args }: ScriptMap): string {
  const shown = args.slice(1).map((arg) => `, ${arg.join('')}`);
  return `${name} = ${call === '' ? 'another value' : `${call}(${args.length > 0 ? '…' : ''}${shown.join('')})`}`;
}

/**
 * Layout of `hist()` and `lhist()`.
 *
 * @returns `undefined` when an argument is not an integer, such as a parameter of the command line.
 */
export function layoutOfScriptMap({ call, args }: ScriptMap): KernelLayout | undefined {
  const integers = args.slice(1).map(integerOf);
  if (integers.some((integer) => integer === undefined)) return undefined;
  const [first = 0, second = 0, third = 0] = integers as number[];
  try {
    if (call === 'hist') return bpftraceHistLayout(first, first === 0 ? BPFTRACE_HIST_SLOTS : undefined);
    return bpftraceLhistLayout({ min: first, max: second, step: third });
  } catch (error) {
    if (error instanceof HdrscopeError) return undefined;
    throw error;
  }
}

function integerOf(tokens: Tokens): number | undefined {
  const text = tokens.join('').replaceAll('_', '');
  if (!/^-?(\d+|0x[\da-f]+|\d+e\d+)$/i.test(text)) return undefined;
  const number = text.startsWith('-') ? -Number(text.slice(1)) : Number(text);
  // A leading 0 makes an octal number in bpftrace.
  return Number.isSafeInteger(number) && !/^-?0\d/.test(text) ? number : undefined;
}

const INTEGERS = /^(pid|tid|uid|gid|cpu|nsecs|elapsed|retval|cgroup|rand|ncpus|numaid|s?arg\d+|\d+)$/;
/** bpftrace keeps so much of a string, unless `BPFTRACE_STRLEN` has another number. */
const STRING_BYTES = 64;
const COMM_BYTES = 16;
const INDEX_BYTES = 8;

/**
 * The fields of the key of a `hist()` or `lhist()`: the keys of the script, and the index of the slot as the last 8 bytes.
 * Keys whose sizes do not fit the key of the map are one field of bytes.
 *
 * @param keys Keys of the script; `undefined` when they are unknown.
 */
export function keyOfBpftrace(keySize: number, keys: readonly Tokens[] | undefined): readonly Field[] {
  const rest = keySize - INDEX_BYTES;
  const slot: Field = { name: 'slot', type: 'u64', offset: rest };
  if (rest === 0) return [slot];
  const sizes =
    keys === undefined ? [] : keys.map((key) => sizeOf(key, keys.length === 1 ? rest : undefined));
  const isKnown = sizes.every((size) => size !== undefined);
  if (keys === undefined || !isKnown || sizes.reduce((sum, size) => sum + size, 0) !== rest) {
    return [{ name: 'key', type: `bytes[${rest}]`, offset: 0 }, slot];
  }
  let offset = 0;
  const names = keys.map(nameOf);
  const fields = keys.map((key, i): Field => {
    const size = sizes[i]!;
    const isUnique = names.filter((name) => name === names[i]).length === 1;
    const name = isUnique ? names[i]! : `${names[i]}${i + 1}`;
    const field: Field = { name, type: typeOf(key, size), offset };
    offset += size;
    return field;
  });
  return [...fields, slot];
}

/** Size of a key, in bytes; `only` is the size when it is the only key. */
function sizeOf(key: Tokens, only: number | undefined): number | undefined {
  if (only !== undefined) return only;
  const [first = ''] = key;
  if (key.length === 1 && first === 'comm') return COMM_BYTES;
  if (key.length === 1 && INTEGERS.test(first)) return 8;
  // An escape has another number of bytes than characters.
  if (key.length === 1 && /^"[^\\]*"$/.test(first)) return Buffer.byteLength(first) - 2 + 1;
  return isCallOf(key, 'str') ? STRING_BYTES : undefined;
}

function typeOf(key: Tokens, size: number): Field['type'] {
  const [first = ''] = key;
  const isText = (key.length === 1 && (first === 'comm' || first.startsWith('"'))) || isCallOf(key, 'str');
  if (isText) return `char[${size}]`;
  const isInteger = key.length === 1 && INTEGERS.test(first) && [1, 2, 4, 8].includes(size);
  return isInteger ? `u${(size * 8) as 8 | 16 | 32 | 64}` : `bytes[${size}]`;
}

function isCallOf(key: Tokens, name: string): boolean {
  return key[0] === name && listAt(key, 1, '(')?.end === key.length;
}

/** A builtin variable has a name. */
function nameOf(key: Tokens): string {
  return key.length === 1 && /^[a-z]\w*$/.test(key[0]!) ? key[0]! : 'key';
}

/** What the script of a running bpftrace says about a map, or why no script says something about it. */
export type ScriptFinding = { readonly map: ScriptMap } | { readonly why: string };

/** A process that holds the map. */
interface Holder {
  readonly pid: string;
  readonly args: readonly string[];
}

const MOST_SCRIPT_BYTES = 2 ** 20;
/** Processes start in units of a hundredth of a second, and clocks are set. */
const CLOCK_TOLERANCE_MS = 1000;

/**
 * Finds the script that fills a map of bpftrace, in the command line of the bpftrace that holds the map. This takes root.
 *
 * @param name Name of the map in the kernel: `AT_` and the name of the variable, 15 bytes together.
 */
export function scriptMapOf(id: number, name: string): ScriptFinding {
  const holder = holderOf(id);
  if (holder === undefined) return { why: 'no bpftrace that this process can see holds it' };
  const script = scriptOf(holder);
  if ('why' in script) return script;
  const fitting = mapsOfScript(script.text).filter((map) => keptName(`AT_${map.name.slice(1)}`) === name);
  const [map] = fitting;
  if (map !== undefined && fitting.length === 1) return { map };
  return {
    why: `the script of bpftrace (process ${holder.pid}) has ${fitting.length} assignments to such a map`,
  };
}

/** The bpftrace that has a map open. Only root runs bpftrace, so a process of another user is an impostor. */
function holderOf(id: number): Holder | undefined {
  for (const pid of namesIn('/proc').filter((name) => /^\d+$/.test(name))) {
    if (!readTextFile(`/proc/${pid}/comm`).startsWith('bpftrace')) continue;
    if (!/^Uid:\t0\t0\t/m.test(readTextFile(`/proc/${pid}/status`))) continue;
    if (mapIdsOfProcess(pid).includes(id))
      return { pid, args: readTextFile(`/proc/${pid}/cmdline`).split('\0').slice(1, -1) };
  }
  return undefined;
}

/** Options of bpftrace that take the next argument. */
const WITH_VALUE: readonly string[] = ['-B', '-f', '-o', '-e', '-I', '--include', '-p', '-c'];

function scriptOf({ pid, args }: Holder): { readonly text: string } | { readonly why: string } {
  let file: string | undefined;
  for (let i = 0; i < args.length && file === undefined; i++) {
    const arg = args[i]!;
    if (arg === '-e') return { text: args[i + 1] ?? '' };
    if (WITH_VALUE.includes(arg)) i++;
    else if (arg === '-' || !arg.startsWith('-')) file = arg;
  }
  if (file === undefined || file === '-') return { why: 'bpftrace has read its script from standard input' };
  // Links in /dev and /proc lead to descriptors of the process that follows them, which is this one.
  if (/^\/(?:dev|proc)\//.test(file)) {
    return { why: `bpftrace has read its script from ${file}, which cannot be read again` };
  }
  const path = `/proc/${pid}/${file.startsWith('/') ? 'root' : 'cwd/'}${file}`;
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { why: `the script ${file} is not a regular file` };
    const { size, mtimeMs, ctimeMs } = stats;
    if (size > MOST_SCRIPT_BYTES) return { why: `the script ${file} has more than 1 MiB` };
    if (Math.max(mtimeMs, ctimeMs) > startOf(pid) + CLOCK_TOLERANCE_MS) {
      return { why: `the script ${file} has changed since bpftrace read it` };
    }
    return { text: readFileSync(path, 'utf8') };
  } catch {
    return { why: `the script ${file} of bpftrace cannot be read` };
  }
}

/** When a process started, in milliseconds since 1970. Source: proc(5), `starttime` in hundredths since the boot. */
function startOf(pid: string): number {
  const fields = readTextFile(`/proc/${pid}/stat`).split(') ').at(-1)!.split(' ');
  const uptimeMs = Number(readTextFile('/proc/uptime').split(' ')[0]) * 1000;
  return Date.now() - uptimeMs + Number(fields[19]) * 10;
}
