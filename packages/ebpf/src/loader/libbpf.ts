import { loadKoffi } from '../bpf/syscall.ts';
import { kernelError } from '../errors.ts';

/** A pointer of the library, or `null`. */
export type Pointer = unknown;

/** The functions of libbpf that load programs. */
export interface Libbpf {
  /** `v1.1` */
  version(): string;
  openFile(path: string, options: null): Pointer;
  openMemory(bytes: Uint8Array, size: number, options: null): Pointer;
  /** Says whether a program of the object is loaded with it. */
  setAutoload(program: Pointer, isLoaded: boolean): number;
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
  setMaxEntries(map: Pointer, count: number): number;
  /** Sets the contents of a map that holds constants of a program. */
  setInitialValue(map: Pointer, value: Uint8Array, size: number): number;
  pin(map: Pointer, path: string): number;
  infoByFd(fd: number, info: Uint8Array, size: Uint32Array): number;
  /** Errno of the last call that failed. */
  errno(): number;
  /** Makes a call, and collects the warnings of the library, which include the log of the verifier. */
  withMessages<T>(call: () => T): { readonly result: T; readonly messages: string };
}

const WARNING = 0;
const LONGEST_MESSAGE = 2 ** 20;

/**
 * Loads libbpf.
 *
 * @param library Its file, as the dynamic linker finds it. The default is `libbpf.so.1`.
 * @throws HdrscopeError `ERR_KERNEL` when koffi or the library is missing.
 */
export async function openLibbpf(library = 'libbpf.so.1'): Promise<Libbpf> {
  const koffi = (await loadKoffi()) as unknown as typeof import('koffi');
  const bpf = openLibrary(() => koffi.load(library), library);
  // From the C library of this process.
  const format = koffi.load(null).func('vsnprintf', 'int', ['void *', 'size_t', 'const char *', 'void *']);
  const setPrint = bpf.func('libbpf_set_print', 'void *', ['void *']);
  const printType = koffi.pointer(koffi.proto('int', ['int', 'const char *', 'void *']));

  function withMessages<T>(call: () => T): { result: T; messages: string } {
    const messages: string[] = [];
    const line = Buffer.allocUnsafe(LONGEST_MESSAGE);
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
    setAutoload: bpf.func('bpf_program__set_autoload', 'int', ['void *', 'bool']),
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
    setMaxEntries: bpf.func('bpf_map__set_max_entries', 'int', ['void *', 'uint32_t']),
    setInitialValue: bpf.func('bpf_map__set_initial_value', 'int', ['void *', 'void *', 'size_t']),
    pin: bpf.func('bpf_map__pin', 'int', ['void *', 'str']),
    infoByFd: bpf.func('bpf_obj_get_info_by_fd', 'int', ['int', 'void *', 'void *']),
    errno: () => koffi.errno(),
    withMessages,
  };
}

function openLibrary<T>(open: () => T, library: string): T {
  try {
    return open();
  } catch (cause) {
    throw kernelError(`${library} cannot be loaded: install libbpf 1.x`, { program: library }, cause);
  }
}
