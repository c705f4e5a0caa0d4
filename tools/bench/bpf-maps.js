/** Kernel maps that the benchmark reads. bpftool creates them, each pinned in a bpffs that ends with the process. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} [input]
 */
export function run(program, args, input) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    input,
    maxBuffer: 2 ** 26,
  });
  if (error) throw new Error(`${program} cannot be run: ${error.message}`);
  if (status !== 0)
    throw new Error(`${program} ${args[0]} is not allowed or fails here: ${stderr || stdout}`);
  return stdout;
}

/**
 * Creates a per-CPU array of 64-bit counters, each with a different count.
 *
 * @param {{ entries: number, countersPerValue: number }} shape
 * @returns {string} the path of its pin
 */
export function pinnedMap({ entries, countersPerValue }) {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-bench-'));
  try {
    run('mount', ['-t', 'bpf', '-o', 'mode=0700', 'bpf', folder]);
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  process.on('exit', () => {
    spawnSync('umount', [folder]);
    rmdirSync(folder);
  });
  const path = join(folder, 'counts');
  const size = 8 * countersPerValue;
  const create = `key 4 value ${size} entries ${entries} name hdr_bench`.split(' ');
  run('bpftool', ['map', 'create', path, 'type', 'percpu_array', ...create]);
  const updates = Array.from({ length: entries }, (_, key) => {
    const counts = Uint32Array.from({ length: 2 * countersPerValue }, (_, i) => (i % 2 ? 0 : key + i + 1));
    const bytes = new Uint8Array(counts.buffer).join(' ');
    return ['map', 'update', 'pinned', path, 'key', `${bytesOf(key)}`, 'value', bytes].join(' ');
  });
  if (entries === 1) run('bpftool', /** @type {string} */ (updates[0]).split(' '));
  else run('bpftool', ['batch', 'file', '-'], `${updates.join('\n')}\n`);
  return path;
}

/** @param {number} key */
function bytesOf(key) {
  return new Uint8Array(Uint32Array.of(key).buffer).join(' ');
}
