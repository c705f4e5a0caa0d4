/**
 * `node tools/ebpf-program.js`: builds the programs in `packages/ebpf/program` from their sources, with clang and the
 * headers of libbpf. The files are part of the repository and of the package, so its users need no compiler.
 *
 *   --check     builds them elsewhere, and fails if a committed file differs
 *
 * The same compiler and headers produce the same bytes. With other versions, only the outline is compared: sections,
 * programs and maps.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outlineOf } from './lib/elf.js';
import { isMain, workspaceRoot } from './lib/workspace.js';

const FOLDER = join(workspaceRoot, 'packages/ebpf/program');

/** The names of the programs: each `NAME.bpf.c` becomes `NAME.bpf.o`. */
export const PROGRAMS = ['blockio', 'runqueue', 'tcprtt'];

/** @param {string} name */
const objectOf = (name) => join(FOLDER, `${name}.bpf.o`);

/** The versions that built the committed files. */
const MADE_WITH = 'clang 14, libbpf 1.1';

const FLAGS = [
  // Linux 5.5 is the oldest kernel with this kind of program, so only its instructions are used.
  ...['-O2', '-g', '-target', 'bpfel', '-mcpu=v2'],
  // The object does not contain the folder in which it was built.
  ...[`-ffile-prefix-map=${FOLDER}=.`, '-fdebug-compilation-dir=.'],
  // The macros of libbpf declare a context that not every program uses.
  ...['-Wall', '-Wextra', '-Wno-unused-parameter', '-Werror'],
];

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: FOLDER, encoding: 'utf8' });
  if (error !== undefined || status !== 0) {
    throw new Error(`${program} failed: ${error?.message ?? `${stdout}${stderr}`.trimEnd()}`);
  }
  return stdout;
}

/** The installed versions of the compiler and the headers; `undefined` if one of them is missing. */
export function toolsHere() {
  try {
    const [, clang] = /clang version (\d+)/.exec(run('clang', ['--version'])) ?? [];
    run('llvm-strip', ['--version']);
    const probe = run('clang', ['-E', '-dM', '-include', 'bpf/libbpf_version.h', '-x', 'c', '/dev/null']);
    const [major, minor] = ['MAJOR', 'MINOR'].map((part) =>
      new RegExp(`LIBBPF_${part}_VERSION (\\d+)`).exec(probe)?.at(1),
    );
    return `clang ${clang}, libbpf ${major}.${minor}`;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} name
 * @returns {Buffer}
 */
export function build(name) {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-program-'));
  try {
    const object = join(folder, `${name}.bpf.o`);
    run('clang', [...FLAGS, '-c', `${name}.bpf.c`, '-o', object]);
    // Keeps the types, which libbpf needs, and removes the sections for debuggers.
    run('llvm-strip', ['-g', object]);
    return readFileSync(object);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Describes the difference between the committed object and one that was built here; `undefined` if they match.
 *
 * @param {Buffer} committed
 * @param {Buffer} built
 * @param {string} tools
 * @returns {string | undefined}
 */
export function differenceOf(committed, built, tools) {
  if (committed.equals(built)) return undefined;
  if (tools === MADE_WITH)
    return `the committed file has ${committed.length} bytes, and its sources produce ${built.length} different bytes`;
  const [expected, got] = [committed, built].map((file) => JSON.stringify(outlineOf(file)));
  return expected === got ? undefined : `the committed file has ${expected}, and its sources produce ${got}`;
}

/** @param {string} name */
function check(name) {
  const tools = toolsHere();
  if (tools === undefined) {
    console.log(`${name}.bpf.o: not checked: the check needs clang, llvm-strip and the headers of libbpf`);
    return 0;
  }
  const difference = differenceOf(readFileSync(objectOf(name)), build(name), tools);
  if (difference !== undefined) {
    console.error(`${name}.bpf.o: ${difference}. Build it: node tools/ebpf-program.js`);
    return 1;
  }
  const compared =
    tools === MADE_WITH ? 'byte by byte' : `by its outline, because it was built with ${MADE_WITH}`;
  console.log(`${name}.bpf.o matches its sources, built with ${tools} and compared ${compared}`);
  return 0;
}

if (isMain(import.meta)) {
  if (process.argv.includes('--check')) {
    process.exitCode = PROGRAMS.reduce((failures, name) => Math.max(failures, check(name)), 0);
  } else {
    for (const name of PROGRAMS) {
      const object = build(name);
      writeFileSync(objectOf(name), object);
      console.log(`${name}.bpf.o: ${object.length} bytes, built with ${toolsHere()}`);
    }
  }
}
