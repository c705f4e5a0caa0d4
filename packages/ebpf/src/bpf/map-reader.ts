import { HdrscopeError } from '@hdrscope/core';
import { atOnce, type Steps } from '@hdrscope/kit';
import { possibleCpus } from '../system-files.ts';
import { countCpus } from './cpus.ts';
import { holdsMaps, isArray, isPerCpu, type MapInfo, notOfHistograms, titleOfMap } from './maps.ts';
import { allocate, LITTLE_ENDIAN, viewOf } from './memory.ts';
import { refusal } from './refusals.ts';
import type { Bpf } from './syscall.ts';
import { COMMANDS, type Command, ERRNO, type MapType } from './uapi.ts';

/** How a map is read. */
export interface MapReaderOptions {
  /**
   * Expected number of parts of a per-CPU value. The first `read` counts those that the kernel writes, and makes room for them.
   * @default the number of possible CPUs by sysfs
   */
  readonly cpuCount?: number;
  /** Largest size of the memory for keys and values, in bytes. @default 64 MiB */
  readonly maxBytes?: number;
  /**
   * Whether one call reads many entries. Linux can do so since 5.6, and since 5.13 for `percpu_array`. An older kernel is
   * asked for one entry at a time. @default true
   */
  readonly batch?: boolean;
}

export const DEFAULT_MAX_BYTES: number = 64 * 2 ** 20;

/** Initial room for the entries of a hash, which may declare far more entries than it holds. */
const FIRST_ENTRIES = 1024;

/** Entries that the kernel copies in some milliseconds. */
const BATCH_ENTRIES = 16_384;
/** The same, one by one. */
const STEP_ENTRIES = 256;

/**
 * Reads all entries of an open map into memory that it reuses: `keys` and `values` hold the entries of the last `read`,
 * one after the other. Counts that arrive during a `read` may be included or not.
 */
export class MapReader {
  /**
   * Number of parts of each value: 1 in maps that the CPUs share. In a per-CPU map it is one for each possible CPU: as
   * expected before the first entry is read, and then as the kernel writes them.
   */
  cpuCount: number;
  /** Distance between two parts of a value, in bytes. It is a multiple of 8 in a per-CPU map. */
  readonly stride: number;
  /** The keys of the entries, `keySize` bytes each. */
  keys: Uint8Array<ArrayBuffer>;
  /** The values of the entries, `cpuCount * stride` bytes each. */
  values: Uint8Array<ArrayBuffer>;

  readonly #bpf: Bpf;
  readonly #info: MapInfo;
  readonly #type: MapType;
  readonly #maxBytes: number;
  #valueBytes: number;
  readonly #attr = allocate(56);
  readonly #attrView = viewOf(this.#attr);
  /** The part of it that commands for one entry take. */
  readonly #elementAttr = this.#attr.subarray(0, 32);
  /** Positions in the map: the kernel reads where a batch begins, and writes where it ended. */
  readonly #cursors: readonly [Uint8Array, Uint8Array];
  readonly #cursorAddresses: readonly [bigint, bigint];
  #keysView: DataView;
  #addresses = { keys: 0n, values: 0n };
  #batch: boolean;
  #isMeasured: boolean;

  /**
   * @throws HdrscopeError `ERR_TOO_LARGE` when the entries take more than `maxBytes`; `ERR_KERNEL` when maps of this type
   *   hold no histograms.
   */
  constructor(
    bpf: Bpf,
    info: MapInfo,
    { cpuCount = possibleCpus().length, maxBytes = DEFAULT_MAX_BYTES, batch = true }: MapReaderOptions = {},
  ) {
    if (info.type === undefined) throw notOfHistograms(info);
    this.#bpf = bpf;
    this.#info = info;
    this.#type = info.type;
    this.#maxBytes = maxBytes;
    // The only element of an array is looked up by its index, which takes the kernel two thirds of the time of a batch. A
    // batch ends at an index of an array of maps without a map.
    this.#batch = batch && !(isArray(info.type) && info.maxEntries === 1) && !holdsMaps(info.type);
    this.#isMeasured = !isPerCpu(info.type);
    this.cpuCount = isPerCpu(info.type) ? cpuCount : 1;
    this.stride = isPerCpu(info.type) ? Math.ceil(info.valueSize / 8) * 8 : info.valueSize;
    this.#valueBytes = this.cpuCount * this.stride;
    // The position in a hash is the number of a bucket, of 4 bytes. In other maps it is a key.
    const cursorBytes = Math.max(8, info.keySize);
    this.#cursors = [allocate(cursorBytes), allocate(cursorBytes)];
    this.#cursorAddresses = [bpf.address(this.#cursors[0]), bpf.address(this.#cursors[1])];
    this.keys = allocate(0);
    this.#keysView = viewOf(this.keys);
    this.values = allocate(0);
    this.#makeRoom(isArray(info.type) ? info.maxEntries : Math.min(info.maxEntries, FIRST_ENTRIES));
  }

  /**
   * Reads the whole map.
   *
   * @param fd File descriptor of the map, opened for reading.
   * @returns The number of its entries.
   * @throws HdrscopeError `ERR_KERNEL` when the kernel refuses; `ERR_TOO_LARGE` when a hash has grown beyond `maxBytes`, or
   *   more CPUs than expected have.
   */
  read(fd: number): number {
    return atOnce(this.readSteps(fd));
  }

  /** As `read`, in steps of some milliseconds. Nothing else may read before the last one. */
  *readSteps(fd: number): Steps<number> {
    if (!this.#isMeasured && !this.#measure(fd)) return 0;
    if (this.#batch) {
      const count = yield* this.#readBatches(fd);
      if (count !== undefined) return count;
      this.#batch = false;
    }
    return yield* isArray(this.#type) ? this.#readElements(fd) : this.#readKeys(fd);
  }

  /** Whether `read` asks for many entries in one call. It is known after the first `read`. */
  get hasBatches(): boolean {
    return this.#batch;
  }

  /** Makes room for as many parts of a value as the kernel writes. @returns Whether there is an entry to read. */
  #measure(fd: number): boolean {
    const count = countCpus(this.#bpf, fd, this.#info);
    if (count === undefined) return false;
    this.#isMeasured = true;
    if (count === this.cpuCount) return true;
    const capacity = this.#capacity;
    this.cpuCount = count;
    this.#valueBytes = count * this.stride;
    this.values = allocate(0);
    this.#makeRoom(capacity);
    return true;
  }

  get #capacity(): number {
    return this.values.length / this.#valueBytes;
  }

  /** @returns The number of entries; `undefined` when this kernel has no batches for this type of map. */
  *#readBatches(fd: number): Steps<number | undefined> {
    const { keySize } = this.#info;
    const view = this.#attrView;
    let [next, last] = this.#cursorAddresses;
    for (let count = 0, isFirst = true, most = BATCH_ENTRIES; ; ) {
      view.setBigUint64(0, isFirst ? 0n : last, LITTLE_ENDIAN);
      view.setBigUint64(8, next, LITTLE_ENDIAN);
      view.setBigUint64(16, addressAt(this.#addresses.keys, count * keySize), LITTLE_ENDIAN);
      view.setBigUint64(24, addressAt(this.#addresses.values, count * this.#valueBytes), LITTLE_ENDIAN);
      const room = Math.min(this.#capacity - count, most);
      view.setUint32(32, room, LITTLE_ENDIAN);
      view.setUint32(36, fd, LITTLE_ENDIAN);
      const errno = -Math.min(0, this.#bpf.call(COMMANDS.MAP_LOOKUP_BATCH, this.#attr));
      if (isFirst && (errno === ERRNO.ENOTSUPP || errno === ERRNO.EINVAL)) return undefined;
      if (errno !== 0 && errno !== ERRNO.ENOENT && errno !== ERRNO.ENOSPC) {
        throw this.#refusal('MAP_LOOKUP_BATCH', errno);
      }
      // The kernel writes a bucket of a hash only when the whole bucket fits.
      const got = errno === ERRNO.ENOSPC ? 0 : view.getUint32(32, LITTLE_ENDIAN);
      count += got;
      if (errno === ERRNO.ENOENT) return count;
      if (got > 0 || errno === 0) {
        isFirst = false;
        [next, last] = [last, next];
      }
      if (errno === ERRNO.ENOSPC || count === this.#capacity) {
        if (isArray(this.#type)) return count;
        if (errno === ERRNO.ENOSPC) most *= 2;
        this.#makeRoom(this.#capacity * 2);
      }
      yield;
    }
  }

  /** Reads the entries of an array, one by one. */
  *#readElements(fd: number): Steps<number> {
    const { maxEntries } = this.#info;
    for (let index = 0; index < maxEntries; index++) {
      if (index % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
      this.#keysView.setUint32(index * 4, index, LITTLE_ENDIAN);
      if (!this.#lookUp(fd, addressAt(this.#addresses.keys, index * 4), index)) {
        throw this.#refusal('MAP_LOOKUP_ELEM', ERRNO.ENOENT);
      }
    }
    return maxEntries;
  }

  /** Reads the entries of a hash: first all keys, then the value of each key, unless it was deleted meanwhile. */
  *#readKeys(fd: number): Steps<number> {
    const keys = yield* this.#listKeys(fd);
    while (this.#capacity < keys.length) this.#makeRoom(this.#capacity * 2);
    let count = 0;
    for (const key of keys) {
      if (count % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
      if (!this.#lookUp(fd, this.#bpf.address(key), count)) continue;
      this.keys.set(key, count * this.#info.keySize);
      count++;
    }
    return count;
  }

  /** Lists each key once. The kernel starts over when a key was deleted before it is asked for the next one. */
  *#listKeys(fd: number): Steps<readonly Uint8Array[]> {
    const { keySize, maxEntries } = this.#info;
    const view = this.#attrView;
    const keys: Uint8Array[] = [];
    const seen = new Set<string>();
    let last: Uint8Array | undefined;
    for (let steps = 0; steps <= 4 * maxEntries; steps++) {
      if (steps % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
      const next = allocate(keySize);
      view.setUint32(0, fd, LITTLE_ENDIAN);
      view.setBigUint64(8, last === undefined ? 0n : this.#bpf.address(last), LITTLE_ENDIAN);
      view.setBigUint64(16, this.#bpf.address(next), LITTLE_ENDIAN);
      const result = this.#bpf.call(COMMANDS.MAP_GET_NEXT_KEY, this.#elementAttr);
      if (result === -ERRNO.ENOENT) break;
      if (result < 0) throw this.#refusal('MAP_GET_NEXT_KEY', -result);
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
    view.setBigUint64(16, addressAt(this.#addresses.values, entry * this.#valueBytes), LITTLE_ENDIAN);
    view.setBigUint64(24, 0n, LITTLE_ENDIAN);
    const result = this.#bpf.call(COMMANDS.MAP_LOOKUP_ELEM, this.#elementAttr);
    if (result === -ERRNO.ENOENT) return false;
    if (result < 0) throw this.#refusal('MAP_LOOKUP_ELEM', -result);
    return true;
  }

  /** Makes room for a number of entries, and keeps the entries that it has. */
  #makeRoom(entries: number): void {
    const { keySize } = this.#info;
    const bytes = entries * (keySize + this.#valueBytes);
    if (bytes > this.#maxBytes) {
      throw new HdrscopeError(
        'ERR_TOO_LARGE',
        `${titleOfMap(this.#info)}: ${entries} entries of ${this.cpuCount} × ${this.stride} bytes must take at most ${this.#maxBytes} bytes, got ${bytes}: raise maxBytes, or make the map smaller`,
        { details: { id: this.#info.id, name: this.#info.name, maxBytes: this.#maxBytes, bytes } },
      );
    }
    const keys = allocate(entries * keySize);
    const values = allocate(entries * this.#valueBytes);
    keys.set(this.keys);
    values.set(this.values);
    this.keys = keys;
    this.#keysView = viewOf(keys);
    this.values = values;
    this.#addresses = { keys: this.#bpf.address(keys), values: this.#bpf.address(values) };
  }

  #refusal(command: Command, errno: number): HdrscopeError {
    return refusal({ command, object: titleOfMap(this.#info), id: this.#info.id, errno });
  }
}

/** The first call reads from offset 0, and one call reads most maps: that avoids BigInt arithmetic. */
function addressAt(begin: bigint, offset: number): bigint {
  return offset === 0 ? begin : begin + BigInt(offset);
}
