import { HdrscopeError } from '@hdrscope/core';
import { loadKoffi } from '../bpf/koffi.ts';

/** A pointer of the library; `null` for none. */
export type Pointer = unknown;

/** The functions of libbpf that loading a program takes, by their own names. */
export interface Libbpf {
  /** `v1.1` */
  version(): string;
  openFile(path: string, options: null): Pointer;
  openMemory(bytes: Uint8Array, size: number, options: null): Pointer;
  load(object: Pointer): number;
  close(object: Pointer): void;
  nextProgram(object: Pointer, previous: Pointer): Pointer;
  programName(program: Pointer): string;
  programSection(program: Pointer): string;
  programFd(program: Pointer): number;
  attach(program: Pointer): Pointer;
  destroyLink(link: Pointer): number;
  nextMap(object: Pointer, previous: Pointer): Pointer;
  mapName(map: Pointer): string;
  mapFd(map: Pointer): number;
  pin(map: Pointer, path: string): number;
  infoByFd(fd: number, info: Uint8Array, size: Uint32Array): number;
  /** Why the last call failed. */
  errno(): number;
  /** What the library has to say about a call, the verifier's log included. */
  withMessages<T>(call: () => T): { readonly result: T; readonly messages: string };
}

const WARNING = 0;
const LONGEST_MESSAGE = 65536;

/** @throws HdrscopeError `ERR_KERNEL` where koffi or the library is missing. */
export async function openLibbpf(library = 'libbpf.so.1'): Promise<Libbpf> {
  const koffi = (await loadKoffi()) as unknown as typeof import('koffi');
  const bpf = opened(() => koffi.load(library), `${library} cannot be loaded: install libbpf 1.x`);
  // What the process itself is linked with, whichever C library that is.
  const format = koffi.load(null).func('vsnprintf', 'int', ['void *', 'size_t', 'const char *', 'void *']);
  const setPrint = bpf.func('libbpf_set_print', 'void *', ['void *']);
  const printType = koffi.pointer(koffi.proto('int', ['int', 'const char *', 'void *']));

  function withMessages<T>(call: () => T): { result: T; messages: string } {
    const messages: string[] = [];
    const line = Buffer.alloc(LONGEST_MESSAGE);
    const print = koffi.register((level: number, template: string, values: Pointer) => {
      const length = format(line, line.length, template, values);
      if (level === WARNING) messages.push(line.toString('utf8', 0, Math.min(length, line.length - 1)));
      return 0;
    }, printType);
    const previous = setPrint(print);
    try {
      const result = call();
      return { result, messages: messages.join('').trim() };
    } finally {
      setPrint(previous);
      koffi.unregister(print);
    }
  }

  const object = 'void *';
  return {
    version: bpf.func('libbpf_version_string', 'str', []),
    openFile: bpf.func('bpf_object__open_file', object, ['str', 'void *']),
    openMemory: bpf.func('bpf_object__open_mem', object, ['void *', 'size_t', 'void *']),
    load: bpf.func('bpf_object__load', 'int', [object]),
    close: bpf.func('bpf_object__close', 'void', [object]),
    nextProgram: bpf.func('bpf_object__next_program', 'void *', [object, 'void *']),
    programName: bpf.func('bpf_program__name', 'str', ['void *']),
    programSection: bpf.func('bpf_program__section_name', 'str', ['void *']),
    programFd: bpf.func('bpf_program__fd', 'int', ['void *']),
    attach: bpf.func('bpf_program__attach', 'void *', ['void *']),
    destroyLink: bpf.func('bpf_link__destroy', 'int', ['void *']),
    nextMap: bpf.func('bpf_object__next_map', 'void *', [object, 'void *']),
    mapName: bpf.func('bpf_map__name', 'str', ['void *']),
    mapFd: bpf.func('bpf_map__fd', 'int', ['void *']),
    pin: bpf.func('bpf_map__pin', 'int', ['void *', 'str']),
    infoByFd: bpf.func('bpf_obj_get_info_by_fd', 'int', ['int', 'void *', 'void *']),
    errno: () => koffi.errno(),
    withMessages,
  };
}

function opened<T>(open: () => T, message: string): T {
  try {
    return open();
  } catch (cause) {
    throw new HdrscopeError('ERR_KERNEL', message, { cause });
  }
}
