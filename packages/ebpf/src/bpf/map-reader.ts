import { HdrscopeError } from '@hdrscope/core';
import { COMMANDS, type MapType } from './commands.ts';
import { possibleCpus } from './cpus.ts';
import { ERRNO } from './errno.ts';
import { refusal } from './errors.ts';
import { isArray, isPerCpu, type MapInfo } from './maps.ts';
import { allocate, LITTLE_ENDIAN, viewOf } from './memory.ts';
import type { Bpf } from './syscall.ts';

export interface MapReaderOptions {
  /** How many parts a value for each CPU has. @default as many as the machine may have CPUs */
  readonly cpuCount?: number;
  /** The most memory that keys and values may take. @default 64 MiB */
  readonly maxBytes?: number;
  /** Whether to ask for many entries in one call, where the kernel can do it: Linux 5.6, and 5.13 for `percpu_array`. @default true */
  readonly batch?: boolean;
}

export const DEFAULT_MAX_BYTES: number = 64 * 2 ** 20;

/** Of a hash, which may declare far more entries than it holds, so many are made room for at first. */
const FIRST_ENTRIES = 1024;

/**
 * Reads all entries of an open map, again and again into the same memory: `keys` and `values` hold what the last `read`
 * found, entry after entry. What is counted meanwhile may be in it or not.
 */
export class MapReader {
  /** How many parts each value has: one for each possible CPU, or a single one. */
  readonly cpuCount: number;
  /** From one part of a value to the next: a multiple of 8 where each CPU has one. */
  readonly stride: number;
  /** The keys of the entries, `keySize` bytes each. */
  keys: Uint8Array<ArrayBuffer>;
  /** The values of the entries, `cpuCount * stride` bytes each. */
  values: Uint8Array<ArrayBuffer>;

  readonly #bpf: Bpf;
  readonly #info: MapInfo;
  readonly #type: MapType;
  readonly #maxBytes: number;
  readonly #valueBytes: number;
  readonly #attr = allocate(56);
  readonly #attrView = viewOf(this.#attr);
  /** Where a batch ended, and where the next one begins: the kernel reads one and writes the other. */
  readonly #cursors: readonly [Uint8Array, Uint8Array];
  readonly #cursorAddresses: readonly [bigint, bigint];
  #addresses = { keys: 0n, values: 0n };
  #batch: boolean;

  /** @throws HdrscopeError `ERR_TOO_LARGE` where it would take more than `maxBytes`; `ERR_KERNEL` for other types. */
  constructor(
    bpf: Bpf,
    info: MapInfo,
    { cpuCount = possibleCpus().length, maxBytes = DEFAULT_MAX_BYTES, batch = true }: MapReaderOptions = {},
  ) {
    if (info.type === undefined) {
      throw new HdrscopeError(
        'ERR_KERNEL',
        `map ${info.id} (${info.name}) is of a type that holds no histograms`,
      );
    }
    this.#bpf = bpf;
    this.#info = info;
    this.#type = info.type;
    this.#maxBytes = maxBytes;
    this.#batch = batch;
    this.cpuCount = isPerCpu(info.type) ? cpuCount : 1;
    this.stride = isPerCpu(info.type) ? Math.ceil(info.valueSize / 8) * 8 : info.valueSize;
    this.#valueBytes = this.cpuCount * this.stride;
    // A cursor in a hash is the number of a bucket, of 4 bytes; elsewhere it is a key.
    const cursorBytes = Math.max(8, info.keySize);
    this.#cursors = [allocate(cursorBytes), allocate(cursorBytes)];
    this.#cursorAddresses = [bpf.address(this.#cursors[0]), bpf.address(this.#cursors[1])];
    this.keys = allocate(0);
    this.values = allocate(0);
    this.#makeRoom(isArray(info.type) ? info.maxEntries : Math.min(info.maxEntries, FIRST_ENTRIES));
  }

  /**
   * Reads the whole map.
   *
   * @param fd The map, opened for reading.
   * @returns How many entries it had.
   * @throws HdrscopeError `ERR_KERNEL`; `ERR_TOO_LARGE` for a hash that has come to hold more than `maxBytes`.
   */
  read(fd: number): number {
    if (this.#batch) {
      const count = this.#readBatches(fd);
      if (count !== undefined) return count;
      this.#batch = false;
    }
    return isArray(this.#type) ? this.#readElements(fd) : this.#readKeys(fd);
  }

  get #capacity(): number {
    return this.values.length / this.#valueBytes;
  }

  /** @returns `undefined` where this kernel cannot do it for this type of map. */
  #readBatches(fd: number): number | undefined {
    const { keySize } = this.#info;
    const view = this.#attrView;
    let [next, last] = this.#cursorAddresses;
    for (let count = 0, isFirst = true; ; ) {
      view.setBigUint64(0, isFirst ? 0n : last, LITTLE_ENDIAN);
      view.setBigUint64(8, next, LITTLE_ENDIAN);
      view.setBigUint64(16, addressAt(this.#addresses.keys, count * keySize), LITTLE_ENDIAN);
      view.setBigUint64(24, addressAt(this.#addresses.values, count * this.#valueBytes), LITTLE_ENDIAN);
      const room = this.#capacity - count;
      view.setUint32(32, room, LITTLE_ENDIAN);
      view.setUint32(36, fd, LITTLE_ENDIAN);
      const errno = -Math.min(0, this.#bpf.call(COMMANDS.MAP_LOOKUP_BATCH, this.#attr));
      if (isFirst && (errno === ERRNO.ENOTSUPP || errno === ERRNO.EINVAL)) return undefined;
      if (errno !== 0 && errno !== ERRNO.ENOENT && errno !== ERRNO.ENOSPC) {
        throw refusal({ command: 'MAP_LOOKUP_BATCH', object: this.#name, errno });
      }
      // A bucket of a hash that has no room as a whole is not begun, and nothing was written then.
      const got = errno === ERRNO.ENOSPC ? 0 : view.getUint32(32, LITTLE_ENDIAN);
      count += got;
      if (errno === ERRNO.ENOENT) return count;
      if (got > 0 || errno === 0) {
        isFirst = false;
        [next, last] = [last, next];
      }
      if (errno === ERRNO.ENOSPC || count === this.#capacity) {
        if (isArray(this.#type)) return count;
        this.#makeRoom(this.#capacity * 2);
      }
    }
  }

  /** All entries of an array, one after the other. */
  #readElements(fd: number): number {
    const { maxEntries } = this.#info;
    const key = allocate(4);
    const keyView = viewOf(key);
    const keyAddress = this.#bpf.address(key);
    for (let index = 0; index < maxEntries; index++) {
      keyView.setUint32(0, index, LITTLE_ENDIAN);
      if (!this.#lookUp(fd, keyAddress, index)) {
        throw refusal({ command: 'MAP_LOOKUP_ELEM', object: this.#name, errno: ERRNO.ENOENT });
      }
      this.keys.set(key, index * 4);
    }
    return maxEntries;
  }

  /** All entries of a hash: first its keys, then their values, of which some may be gone. */
  #readKeys(fd: number): number {
    const keys = this.#listKeys(fd);
    while (this.#capacity < keys.length) this.#makeRoom(this.#capacity * 2);
    let count = 0;
    for (const key of keys) {
      if (!this.#lookUp(fd, this.#bpf.address(key), count)) continue;
      this.keys.set(key, count * this.#info.keySize);
      count++;
    }
    return count;
  }

  /** Where a key is deleted while it is asked for its successor, the kernel begins anew: each key is taken once. */
  #listKeys(fd: number): readonly Uint8Array[] {
    const { keySize, maxEntries } = this.#info;
    const view = this.#attrView;
    const keys: Uint8Array[] = [];
    const seen = new Set<string>();
    let last: Uint8Array | undefined;
    for (let steps = 0; steps <= 4 * maxEntries; steps++) {
      const next = allocate(keySize);
      view.setUint32(0, fd, LITTLE_ENDIAN);
      view.setBigUint64(8, last === undefined ? 0n : this.#bpf.address(last), LITTLE_ENDIAN);
      view.setBigUint64(16, this.#bpf.address(next), LITTLE_ENDIAN);
      const result = this.#bpf.call(COMMANDS.MAP_GET_NEXT_KEY, this.#attr.subarray(0, 32));
      if (result === -ERRNO.ENOENT) break;
      if (result < 0) throw refusal({ command: 'MAP_GET_NEXT_KEY', object: this.#name, errno: -result });
      const text = Buffer.from(next.buffer).toString('latin1');
      if (!seen.has(text)) keys.push(next);
      seen.add(text);
      last = next;
    }
    return keys;
  }

  #lookUp(fd: number, keyAddress: bigint, entry: number): boolean {
    const view = this.#attrView;
    view.setUint32(0, fd, LITTLE_ENDIAN);
    view.setBigUint64(8, keyAddress, LITTLE_ENDIAN);
    view.setBigUint64(16, this.#addresses.values + BigInt(entry * this.#valueBytes), LITTLE_ENDIAN);
    view.setBigUint64(24, 0n, LITTLE_ENDIAN);
    const result = this.#bpf.call(COMMANDS.MAP_LOOKUP_ELEM, this.#attr.subarray(0, 32));
    if (result === -ERRNO.ENOENT) return false;
    if (result < 0) throw refusal({ command: 'MAP_LOOKUP_ELEM', object: this.#name, errno: -result });
    return true;
  }

  /** Room for so many entries, without losing those that are there. */
  #makeRoom(entries: number): void {
    const { keySize } = this.#info;
    const bytes = entries * (keySize + this.#valueBytes);
    if (bytes > this.#maxBytes) {
      throw new HdrscopeError(
        'ERR_TOO_LARGE',
        `${this.#name}: ${entries} entries of ${this.cpuCount} × ${this.stride} bytes must take at most ${this.#maxBytes} bytes, got ${bytes}: raise maxBytes, or make the map smaller`,
      );
    }
    const keys = allocate(entries * keySize);
    const values = allocate(entries * this.#valueBytes);
    keys.set(this.keys);
    values.set(this.values);
    this.keys = keys;
    this.values = values;
    this.#addresses = { keys: this.#bpf.address(keys), values: this.#bpf.address(values) };
  }

  get #name(): string {
    return `map ${this.#info.id} (${this.#info.name})`;
  }
}

/** Most maps are read by one call, from the beginning on: that needs no arithmetic of BigInt. */
function addressAt(begin: bigint, offset: number): bigint {
  return offset === 0 ? begin : begin + BigInt(offset);
}
