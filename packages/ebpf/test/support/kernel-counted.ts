import { createMap, type NewMap, updateElement } from '../../src/bpf/maps.ts';
import type { Bpf } from '../../src/bpf/syscall.ts';
import { possibleCpus } from '../../src/system-files.ts';

/** A map of the kernel in which tests count, on the CPUs in turn. */
export interface CountedMap {
  readonly fd: number;
  /** Adds to an integer in the value of a key. */
  add(key: Uint8Array, amount: number, at?: { readonly offset?: number; readonly width?: 4 | 8 }): void;
  /** Writes a text into the parts of all CPUs. */
  write(key: Uint8Array, text: string, offset: number): void;
  close(): void;
}

export function countedMap(bpf: Bpf, map: NewMap): CountedMap {
  const fd = createMap(bpf, map);
  const isPerCpu = map.type.includes('percpu');
  const parts = isPerCpu ? possibleCpus().length : 1;
  const stride = isPerCpu ? Math.ceil(map.valueSize / 8) * 8 : map.valueSize;
  const values = new Map<string, Uint8Array>();
  let turn = 0;
  const partsOf = (key: Uint8Array): Uint8Array => {
    const text = Buffer.from(key).toString('hex');
    const value = values.get(text) ?? new Uint8Array(parts * stride);
    values.set(text, value);
    return value;
  };
  return {
    fd,
    add(key, amount, { offset = 0, width = map.valueSize === 4 ? 4 : 8 } = {}) {
      const value = partsOf(key);
      const view = new DataView(value.buffer);
      const at = (turn++ % parts) * stride + offset;
      // The tests run on little-endian machines only.
      if (width === 4) view.setUint32(at, view.getUint32(at, true) + amount, true);
      else view.setBigUint64(at, view.getBigUint64(at, true) + BigInt(amount), true);
      updateElement(bpf, fd, key, value);
    },
    write(key, text, offset) {
      const value = partsOf(key);
      for (let part = 0; part < parts; part++) value.set(Buffer.from(text), part * stride + offset);
      updateElement(bpf, fd, key, value);
    },
    close: () => bpf.close(fd),
  };
}
