import { chmodSync, rmSync, statSync } from 'node:fs';
import { release } from 'node:os';
import type { HdrscopeError } from '@hdrscope/core';
import { filledText, mustBe, optional, type RulesFor, readOptions } from '@hdrscope/core/internal';
import { kernelTypes } from '../bpf/btf.ts';
import { noteConfinement } from '../bpf/refusals.ts';
import { errnoName } from '../bpf/uapi.ts';
import { type KernelErrorDetails, kernelError } from '../errors.ts';
import { type Libbpf, openLibbpf, type Pointer } from './libbpf.ts';
import { tryObject } from './try-object.ts';

/** How a program is loaded. */
export interface LoadOptions {
  /** File of libbpf 1.x, as the dynamic linker finds it. @default 'libbpf.so.1' */
  readonly libbpf?: string;
}

/** A map of a loaded program. */
export interface LoadedMap {
  /** Name of the map in the object file. */
  readonly name: string;
  /** File descriptor in this process, open until the program is closed. */
  readonly fd: number;
  /** Id of the map, which is the same in all processes. */
  readonly id: number;
}

/** A program that is loaded, and attached unless it is only run with given input. */
export interface AttachedProgram {
  /** Name of the program in the object file. */
  readonly name: string;
  /** Where it is attached, such as `tp_btf/sched_switch`. */
  readonly section: string;
  /** File descriptor in this process, open until the program is closed. */
  readonly fd: number;
  /** Id of the program, which is the same in all processes. */
  readonly id: number;
}

/**
 * The maps and programs of one object file. At the end of this process, the kernel removes everything except pins and the
 * maps that they hold.
 */
export interface LoadedProgram {
  /** Maps by name. */
  readonly maps: ReadonlyMap<string, LoadedMap>;
  /** The attached programs, in the order of the object file. */
  readonly programs: readonly AttachedProgram[];
  /** Whether `close` has been called. */
  readonly isClosed: boolean;
  /**
   * Pins a map to a path in a bpffs, so that other processes can read it.
   *
   * @param name Name of the map.
   * @param mode Permission bits of the pin. With 0o444, everybody who can enter the folder can read it, without capabilities.
   *   The default is 0o600.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when no map has the name or the mode is outside [0, 0o777], `ERR_KERNEL` when
   *   the map cannot be pinned there.
   */
  pin(name: string, path: string, mode?: number): void;
  /** Detaches and unloads everything, and removes its pins. A second call has no effect. */
  close(): void;
}

/**
 * Loads an object file (`.bpf.o`) through libbpf, and attaches each of its programs where its section says. This takes root,
 * or CAP_BPF and CAP_PERFMON. Another process loads it first, because a hostile file may end the process that opens it.
 *
 * @param object Path of the file, or its bytes.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, or `object` is neither, `ERR_KERNEL` with the
 *   messages of libbpf and the verifier when it cannot be loaded or attached.
 */
export async function loadProgram(
  object: string | Uint8Array,
  options: LoadOptions = {},
): Promise<LoadedProgram> {
  const { libbpf } = readOptions(options, LOAD_PROGRAM);
  if (typeof object !== 'string' && !(object instanceof Uint8Array)) {
    throw mustBe('ERR_INVALID_OPTION', 'object', 'a path or bytes', object);
  }
  // The errors of koffi and libbpf come before those of the file.
  await openLibbpf(libbpf);
  await tryObject(object, libbpf);
  return loadConfigured(object, libbpf, {});
}

/** What is chosen for an object before it is loaded. */
export interface ObjectSettings {
  /** Constants of its programs: all of the section `.rodata`. @default those of the file */
  readonly constants?: Uint8Array;
  /** Number of entries of a map, by its name. @default those of the file */
  readonly maxEntries?: Readonly<Record<string, number>>;
  /** Names of programs that are not loaded. @default all programs are loaded */
  readonly without?: readonly string[];
  /** Whether its programs are only loaded, to be run with given input. @default they are attached */
  readonly isDetached?: boolean;
}

/** Loads an object file like `loadProgram`, with settings that its programs expect. */
export async function loadConfigured(
  object: string | Uint8Array,
  libbpf: string | undefined,
  settings: ObjectSettings,
): Promise<LoadedProgram> {
  const bpf = await openLibbpf(libbpf);
  const name = typeof object === 'string' ? object : 'the program';
  const handle = open(bpf, object, name);
  const links: Pointer[] = [];
  const close = () => {
    for (const link of links.splice(0)) bpf.destroyLink(link);
    bpf.close(handle);
  };
  try {
    configure(bpf, handle, settings);
    load(bpf, handle, name);
    const programs = programsOf(bpf, handle, settings).map((program) => {
      if (settings.isDetached !== true) links.push(attach(bpf, program));
      const fd = bpf.programFd(program);
      return {
        name: bpf.programName(program),
        section: bpf.programSection(program),
        fd,
        id: idOf(bpf, fd),
      };
    });
    return new Loaded(bpf, mapsOf(bpf, handle), programs, close);
  } catch (error) {
    close();
    throw error;
  }
}

/** The rules that all functions which load programs have in common. */
export const LOAD_RULES: RulesFor<LoadOptions, keyof LoadOptions> = {
  libbpf: optional(filledText('the file of libbpf')),
};

const LOAD_PROGRAM = {
  name: 'loadProgram',
  rules: LOAD_RULES,
  call: "loadProgram('./program.bpf.o', { libbpf: '/usr/lib/libbpf.so.1' })",
};

interface Handle extends LoadedMap {
  readonly pointer: Pointer;
}

class Loaded implements LoadedProgram {
  readonly #bpf: Libbpf;
  readonly #maps: ReadonlyMap<string, Handle>;
  readonly #pins = new Pins();
  readonly #close: () => void;
  #isClosed = false;
  readonly programs: readonly AttachedProgram[];

  constructor(
    bpf: Libbpf,
    maps: ReadonlyMap<string, Handle>,
    programs: readonly AttachedProgram[],
    close: () => void,
  ) {
    this.#bpf = bpf;
    this.#maps = maps;
    this.programs = programs;
    this.#close = close;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get maps(): ReadonlyMap<string, LoadedMap> {
    return this.#maps;
  }

  pin(name: string, path: string, mode = 0o600): void {
    if (this.#isClosed) throw kernelError('the program is closed');
    const map = this.#maps.get(name);
    if (map === undefined) throw mustBe('ERR_INVALID_OPTION', 'name', namesOf(this.#maps), name);
    this.#pins.add(path, mode, () => {
      const { result, messages } = this.#bpf.withMessages(() => this.#bpf.pin(map.pointer, path));
      if (result < 0)
        throw failure(`the map ${name} cannot be pinned to ${path}`, -result, messages, { path, name });
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pins.removeAll();
    this.#close();
  }
}

function open(bpf: Libbpf, object: string | Uint8Array, name: string): Pointer {
  const { result, messages } = bpf.withMessages(() => {
    const handle =
      typeof object === 'string' ? bpf.openFile(object, null) : bpf.openMemory(object, object.length, null);
    return { handle, errno: handle === null ? bpf.errno() : 0 };
  });
  if (result.handle === null) throw failure(`${name} cannot be opened`, result.errno, messages);
  return result.handle;
}

function configure(bpf: Libbpf, handle: Pointer, settings: ObjectSettings): void {
  const { constants, maxEntries = {}, without = [] } = settings;
  for (const map of all((last) => bpf.nextMap(handle, last))) {
    const name = bpf.mapName(map);
    if (maxEntries[name] !== undefined) {
      assertSet(bpf, `the map ${name} cannot get ${maxEntries[name]} entries`, () =>
        bpf.setMaxEntries(map, maxEntries[name]!),
      );
    }
    // Its name begins with the name of the file.
    if (constants !== undefined && name.endsWith('.rodata')) {
      assertSet(bpf, `its constants cannot be these ${constants.length} bytes`, () =>
        bpf.setInitialValue(map, constants, constants.length),
      );
    }
  }
  for (const program of all((last) => bpf.nextProgram(handle, last))) {
    const name = bpf.programName(program);
    if (without.includes(name)) {
      assertSet(bpf, `the program ${name} cannot be left out`, () => bpf.setAutoload(program, false));
    }
  }
}

/** @throws HdrscopeError `ERR_KERNEL` when libbpf refuses a setting. */
function assertSet(bpf: Libbpf, problem: string, set: () => number): void {
  const { result, messages } = bpf.withMessages(set);
  if (result < 0) throw failure(problem, -result, messages);
}

function programsOf(bpf: Libbpf, handle: Pointer, { without = [] }: ObjectSettings): Pointer[] {
  const programs = all((last) => bpf.nextProgram(handle, last));
  return programs.filter((program) => !without.includes(bpf.programName(program)));
}

function load(bpf: Libbpf, handle: Pointer, name: string): void {
  const { result, messages } = bpf.withMessages(() => bpf.load(handle));
  if (result < 0) {
    const reason = missingTypes(messages) ?? missingType(messages);
    throw failure(`${name} cannot be loaded`, -result, messages, {}, reason);
  }
}

/** The reason why a program cannot find the types of the kernel. libbpf returns an errno that says something else. */
function missingTypes(messages: string): string | undefined {
  const types = kernelTypes();
  if ('sizeBytes' in types || !messages.includes('BTF')) return undefined;
  return `it needs the types of the kernel (BTF), and ${types.problem}: ${types.cure}`;
}

/** The tracepoint or field that this kernel does not have, by the messages of libbpf; `undefined` when they are about something else. */
function missingType(messages: string): string | undefined {
  const [, tracepoint] = /kernel BTF type ID of '(?:btf_trace_)?(\w+)'/.exec(messages) ?? [];
  const [, field] = /resolve CO-RE relocation <\w+> \[\d+\] struct (\w+(?:\.\w+)*)/.exec(messages) ?? [];
  const missing = tracepoint === undefined ? field : `tracepoint ${tracepoint}`;
  if (missing === undefined) return undefined;
  return `Linux ${release()} has no ${missing}: run a newer kernel, or one that was built with what the program observes`;
}

function attach(bpf: Libbpf, program: Pointer): Pointer {
  const { result, messages } = bpf.withMessages(() => {
    const link = bpf.attach(program);
    return { link, errno: link === null ? bpf.errno() : 0 };
  });
  if (result.link !== null) return result.link;
  throw failure(`${bpf.programSection(program)} cannot be attached to`, result.errno, messages);
}

function mapsOf(bpf: Libbpf, handle: Pointer): ReadonlyMap<string, Handle> {
  const maps = all((last) => bpf.nextMap(handle, last)).map((pointer): [string, Handle] => {
    const name = bpf.mapName(pointer);
    const fd = bpf.mapFd(pointer);
    return [name, { name, fd, id: idOf(bpf, fd), pointer }];
  });
  return new Map(maps);
}

/** All items of an iterator of the library, which returns the first item after `null`. */
function all(next: (last: Pointer) => Pointer): Pointer[] {
  const found: Pointer[] = [];
  for (let item = next(null); item !== null; item = next(item)) found.push(item);
  return found;
}

/** Asks for the id. `bpf_map_info` and `bpf_prog_info` both begin with the type and the id, and their length varies. */
function idOf(bpf: Libbpf, fd: number): number {
  const info = new Uint32Array(2);
  const result = bpf.infoByFd(fd, new Uint8Array(info.buffer), new Uint32Array([info.byteLength]));
  if (result < 0) throw failure(`the id of the file descriptor ${fd} cannot be read`, -result, '');
  return info[1]!;
}

function namesOf(maps: ReadonlyMap<string, unknown>): string {
  return `one of ${[...maps.keys()].join(', ')}`;
}

function rightsToLoad(): string {
  // As in a container.
  if (process.getuid?.() === 0) return 'CAP_BPF and CAP_PERFMON, which root does not have here';
  return 'root, or CAP_BPF and CAP_PERFMON';
}

const LONGEST_LOG = 10_000;

function failure(
  what: string,
  errno: number,
  messages: string,
  details: KernelErrorDetails = {},
  reason?: string,
): HdrscopeError {
  const name = errnoName(errno);
  const isRejected = messages.includes('BEGIN PROG LOAD LOG');
  const isForbidden = !isRejected && (name === 'EPERM' || name === 'EACCES');
  const cure = isForbidden ? `: this takes ${rightsToLoad()}${noteConfinement()}` : '';
  // The reason is at the end of a log.
  const shown = messages.length > LONGEST_LOG ? `…${messages.slice(-LONGEST_LOG)}` : messages;
  const log = shown === '' ? '' : `\n${shown}`;
  return kernelError(`${what}: ${reason ?? `${name}${cure}`}${log}`, { ...details, errno: name });
}

/** Pins that are removed together with the object that they hold. */
export class Pins {
  /** Inodes by path. A file with another inode at the path is not ours. */
  readonly #inodes = new Map<string, number>();

  /**
   * Makes a pin, and sets its permissions.
   *
   * @param pin Pins the object to the path, or throws.
   * @throws HdrscopeError `ERR_INVALID_OPTION` when the mode is outside [0, 0o777].
   */
  add(path: string, mode: number, pin: () => void): void {
    if (!Number.isInteger(mode) || mode < 0 || mode > 0o777) {
      throw mustBe('ERR_INVALID_OPTION', 'mode', 'an integer from 0 to 0o777', mode);
    }
    pin();
    this.#inodes.set(path, statSync(path).ino);
    chmodSync(path, mode);
  }

  /** Removes all pins that are still in place. */
  removeAll(): void {
    for (const [path, inode] of this.#inodes) {
      if (statSync(path, { throwIfNoEntry: false })?.ino === inode) rmSync(path);
    }
    this.#inodes.clear();
  }
}
