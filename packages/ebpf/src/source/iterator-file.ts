import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import {
  filledText,
  integer,
  mustBe,
  type OptionRules,
  object,
  optional,
  readOptions,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import type { Attributes } from '@hdrscope/registry';
import { kernelError } from '../errors.ts';
import { type KernelLayout, kernelLayout, slotOfIndex } from '../layout/kernel-layout.ts';
import type { Frame, KernelSource } from './source.ts';

/** Which file is read, and what its lines mean. */
export interface IteratorFileOptions {
  /** Path of a pinned iterator, or of another file with such lines. */
  readonly path: string;
  /** Slots that the indices stand for. */
  readonly layout: KernelLayout;
  /** Name of the histogram. @default the last part of the path */
  readonly name?: string;
  /** Attributes of the histogram. @default no attributes */
  readonly attributes?: Attributes;
  /** Index whose counter is the sum of the values. @default the program keeps no sum */
  readonly sumIndex?: number;
}

/**
 * A histogram as lines of text. Each line has the index of a slot and its count, or its count on each CPU, separated by
 * blanks. Empty lines and lines that begin with `#` are comments. A slot without a line is empty.
 *
 * An iterator over a map can print such lines (`SEC("iter/bpf_map_elem")`). A pinned iterator is a file, and everybody with
 * the permission to read the file can read it, without capabilities or other packages. A file with another inode is
 * another generation, so write a file that is not an iterator in place.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, or `sumIndex` is the index of a slot. `read`
 *   throws `ERR_KERNEL` when the file cannot be read or a line is malformed, and `ERR_TOO_LARGE` when the file is longer
 *   than 16 MiB.
 */
export function iteratorFile(options: IteratorFileOptions): KernelSource {
  const { path, layout, attributes, sumIndex, ...settings } = readOptions(options, ITERATOR_FILE);
  const name = settings.name ?? basename(path);
  const title = `the file ${path}`;
  if (sumIndex !== undefined && slotOfIndex(layout, sumIndex) !== undefined) {
    throw mustBe('ERR_INVALID_OPTION', 'sumIndex', 'an integer that is not the index of a slot', sumIndex);
  }
  let isClosed = false;
  return {
    name: title,
    read: async () => {
      if (isClosed) throw kernelError(`${title} is closed`, { path });
      const { text, generation } = await readWhole(path);
      return { generation, counterBits: 64, ...parse(text) };
    },
    close: () => {
      isClosed = true;
    },
  };

  function parse(text: string): Pick<Frame, 'cpuCount' | 'histograms'> {
    const [head] = rowsIn(text);
    const cpuCount = Math.max(1, (head?.fields.length ?? 2) - 1);
    const { slotCount } = layout.slots;
    if (cpuCount * slotCount > MOST_COUNTS) {
      const most = Math.floor(MOST_COUNTS / slotCount);
      throw mustBe('ERR_TOO_LARGE', `the lines of ${path}`, `at most ${most} counts long`, cpuCount);
    }
    const counts = new Float64Array(cpuCount * slotCount);
    const sums = sumIndex === undefined ? undefined : new Float64Array(cpuCount);
    for (const { fields, at } of rowsIn(text)) {
      const [index = '', ...counters] = fields;
      const slot = /^-?\d+$/.test(index) ? slotOfIndex(layout, Number(index)) : undefined;
      const isSum = sums !== undefined && Number(index) === sumIndex;
      if (slot === undefined && !isSum) throw malformed(at, `the index of a slot of ${layout.name}`, index);
      if (counters.length !== cpuCount)
        throw malformed(at, `an index and ${cpuCount} counts`, fields.slice(0, 10).join(' '));
      for (const [cpu, counter] of counters.entries()) {
        const count = /^\d+$/.test(counter) ? Number(counter) : Number.NaN;
        if (!Number.isSafeInteger(count)) throw malformed(at, 'counts from 0 to 2^53 - 1', counter);
        if (slot === undefined) sums![cpu]! += count;
        else counts[cpu * slotCount + slot]! += count;
      }
    }
    return { cpuCount, histograms: [{ name, attributes, layout, counts, sums }] };
  }

  function malformed(line: number, allowed: string, got: string): HdrscopeError {
    const { message } = mustBe('ERR_KERNEL', `${path}, line ${line}`, allowed, got);
    return kernelError(message, { path, line });
  }
}

const ITERATOR_FILE = {
  name: 'iteratorFile',
  rules: {
    path: filledText('the path of a file'),
    layout: kernelLayout,
    name: optional(text),
    attributes: withDefault(object<Attributes>(), {}),
    sumIndex: optional(integer()),
  } satisfies OptionRules<IteratorFileOptions>,
  call: "iteratorFile({ path: '/sys/fs/bpf/queue_hist', layout: queueDepthLayout() })",
};

const LARGEST_BYTES = 16 * 2 ** 20;

/** Counts of all slots on all CPUs: 128 MiB. */
const MOST_COUNTS = 2 ** 24;

/** The lines with counts, one at a time: most of a file may be empty lines. */
function* rowsIn(text: string): Generator<{ readonly fields: readonly string[]; readonly at: number }> {
  for (let from = 0, at = 1; from < text.length; at++) {
    const next = text.indexOf('\n', from);
    const end = next < 0 ? text.length : next;
    const line = text.slice(from, end).trim();
    if (line !== '' && !line.startsWith('#')) yield { fields: line.split(/\s+/), at };
    from = end + 1;
  }
}

/** Reads a file to its end. An iterator has no size, and other files may grow while they are read. */
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
    const { code } = cause as NodeJS.ErrnoException;
    const details = { path, ...(code !== undefined && { errno: code }) };
    throw kernelError(`cannot read ${path}: ${reasonOf(cause)}`, details, cause);
  } finally {
    await file?.close();
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'the file does not exist: is the iterator pinned?';
  if (code === 'EACCES')
    return 'this user may not read it: chmod 0444 lets everybody read it, and nobody write it';
  if (code === 'EISDIR') return 'it is a folder';
  return message;
}
