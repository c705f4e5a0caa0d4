import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { HdrscopeError, mustBe } from '@hdrscope/core';
import type { Attributes } from '@hdrscope/registry';
import { type KernelLayout, slotOfIndex } from '../layout/kernel-layout.ts';
import type { Frame, KernelSource } from './source.ts';

export interface IteratorFileOptions {
  /** A pinned iterator, or any file whose lines are made so. */
  readonly path: string;
  /** Which slots the indices stand for. */
  readonly layout: KernelLayout;
  /** @default the last part of the path */
  readonly name?: string;
  readonly attributes?: Attributes;
  /** The index whose counter is the sum of the values, where the program keeps one. */
  readonly sumIndex?: number;
}

/**
 * A histogram in lines of text: the index of a slot and its count, or its count on each CPU, parted by blanks. Empty lines
 * and those that begin with `#` are left out; a slot without a line is empty.
 *
 * An iterator over a map prints such lines (`SEC("iter/bpf_map_elem")`), and pinned it is a file that anybody may read who
 * may read the file: it takes neither capabilities nor other packages. A file with another inode is another generation, so a
 * file that is no iterator must be written in place.
 */
export function iteratorFile({
  path,
  layout,
  name = basename(path),
  attributes = {},
  sumIndex,
}: IteratorFileOptions): KernelSource {
  const title = `the file ${path}`;
  if (
    sumIndex !== undefined &&
    (!Number.isInteger(sumIndex) || slotOfIndex(layout, sumIndex) !== undefined)
  ) {
    throw mustBe('ERR_INVALID_OPTION', 'sumIndex', 'an integer that is the index of no slot', sumIndex);
  }
  let isClosed = false;
  return {
    name: title,
    read: async () => {
      if (isClosed) throw new HdrscopeError('ERR_KERNEL', `${title} is closed`);
      const { text, generation } = await readWhole(path);
      return { generation, counterBits: 64, ...parse(text) };
    },
    close: () => {
      isClosed = true;
    },
  };

  function parse(text: string): Pick<Frame, 'cpuCount' | 'histograms'> {
    const rows = text
      .split('\n')
      .map((line, at) => ({ fields: line.trim().split(/\s+/), at: at + 1 }))
      .filter(({ fields: [first = ''] }) => first !== '' && !first.startsWith('#'));
    const cpuCount = Math.max(1, (rows[0]?.fields.length ?? 2) - 1);
    const { slotCount } = layout.slots;
    const counts = new Float64Array(cpuCount * slotCount);
    const sums = sumIndex === undefined ? undefined : new Float64Array(cpuCount);
    for (const { fields, at } of rows) {
      const [index = '', ...counters] = fields;
      const slot = /^-?\d+$/.test(index) ? slotOfIndex(layout, Number(index)) : undefined;
      const isSum = sums !== undefined && Number(index) === sumIndex;
      if (slot === undefined && !isSum) throw wrong(at, `the index of a slot of ${layout.name}`, index);
      if (counters.length !== cpuCount) throw wrong(at, `an index and ${cpuCount} counts`, fields.join(' '));
      for (const [cpu, counter] of counters.entries()) {
        const count = /^\d+$/.test(counter) ? Number(counter) : Number.NaN;
        if (!Number.isSafeInteger(count)) throw wrong(at, 'counts from 0 to 2^53 - 1', counter);
        if (slot === undefined) sums![cpu]! += count;
        else counts[cpu * slotCount + slot]! += count;
      }
    }
    return { cpuCount, histograms: [{ name, attributes, layout, counts, sums }] };
  }

  function wrong(line: number, allowed: string, got: string): HdrscopeError {
    return mustBe('ERR_KERNEL', `${path}, line ${line}`, allowed, got);
  }
}

const LARGEST_BYTES = 16 * 2 ** 20;

/** An iterator has no size, and other files may grow while they are read: so they are read to their end. */
async function readWhole(path: string): Promise<{ readonly text: string; readonly generation: string }> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const { dev, ino } = await file.stat();
    const chunks: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(65_536), 0, 65_536, null);
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
      if (bytes > LARGEST_BYTES) throw mustBe('ERR_TOO_LARGE', path, `at most ${LARGEST_BYTES} bytes`, bytes);
    }
    return { text: Buffer.concat(chunks).toString('utf8'), generation: `${dev}:${ino}` };
  } catch (cause) {
    if (cause instanceof HdrscopeError) throw cause;
    throw new HdrscopeError('ERR_KERNEL', `cannot read ${path}: ${reasonOf(cause)}`, { cause });
  } finally {
    await file?.close();
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file: is the iterator pinned?';
  if (code === 'EACCES') return 'this user may not read it: chmod 0444 lets all read, and none write';
  if (code === 'EISDIR') return 'it is a folder';
  return message;
}
