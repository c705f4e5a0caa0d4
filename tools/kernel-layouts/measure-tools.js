import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { listMaps, parseKernelLayout } from '@hdrscope/ebpf';
import { loadConfigured } from '@hdrscope/ebpf/internal';
import { PROJECTS } from './named-tools.js';

/** @typedef {import('./named-tools.js').NamedProgram} NamedProgram */
/** @typedef {import('./named-tools.js').Slots} Slots */

/**
 * One map of a tool, or a program that could not be measured.
 *
 * @typedef {object} Row
 * @property {string} project
 * @property {string} tool
 * @property {string} map
 * @property {string} slots
 * @property {'right' | 'refused' | 'wrong' | 'not loaded'} outcome
 * @property {string} why
 */

/**
 * Compiles the programs of the named tools, loads them without attaching them, and compares what is measured with their sources.
 *
 * @param {string} folder Has a git repository of each project, and one of libbpf.
 * @param {string} clang
 * @returns {Promise<readonly Row[]>}
 */
export async function measureTools(folder, clang) {
  const work = mkdtempSync(join(tmpdir(), 'hdrscope-tools-'));
  const rows = [];
  try {
    const headers = join(work, 'libbpf');
    takeOut(join(folder, 'libbpf'), LIBBPF_VERSION, ['src/*.h', 'include/uapi'], headers);
    mkdirSync(join(headers, 'include'), { recursive: true });
    run('ln', ['-s', '../src', join(headers, 'include/bpf')]);
    for (const { name, repository, version, commit, paths, flags, programs } of PROJECTS) {
      const root = join(work, `${repository}-${version}`);
      takeOut(join(folder, repository), commit, paths, root);
      const include = [...flags, `-I${headers}/include`, `-I${headers}/include/uapi`];
      for (const program of programs) {
        const found = await measureProgram({ root, clang, flags: include }, program);
        for (const row of found) {
          console.error(`${name} ${version} ${program.name} ${row.map}: ${row.outcome} ${row.why}`);
          rows.push({ project: `${name} ${version}`, tool: program.name, ...row });
        }
      }
    }
  } finally {
    rmSync(work, { recursive: true });
  }
  return rows;
}

const LIBBPF_VERSION = 'v1.5.0';

/** @param {string} repository @param {string} commit @param {readonly string[]} paths @param {string} root */
function takeOut(repository, commit, paths, root) {
  mkdirSync(root, { recursive: true });
  const listed = run('git', ['-C', repository, 'ls-tree', '-r', '--name-only', commit]);
  const isWanted = (/** @type {string} */ path) =>
    paths.some((pattern) =>
      new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(?:/|$)`).test(path),
    );
  const archive = join(root, 'files.tar');
  run('git', ['-C', repository, 'archive', '-o', archive, commit, ...listed.split('\n').filter(isWanted)]);
  run('tar', ['xf', archive, '-C', root]);
}

/** @param {string} command @param {readonly string[]} args @param {string} [cwd] */
function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...(cwd !== undefined && { cwd }),
  });
  if (status !== 0) throw new Error(`${command}: ${firstError(stderr)}`);
  return stdout;
}

/** @param {string} messages */
function firstError(messages) {
  const lines = messages.split('\n');
  return lines.find((line) => /error/.test(line)) ?? lines[0] ?? '';
}

/**
 * @param {{ readonly root: string, readonly clang: string, readonly flags: readonly string[] }} build
 * @param {NamedProgram} program
 * @returns {Promise<readonly Omit<Row, 'project' | 'tool'>[]>}
 */
async function measureProgram(build, program) {
  let loaded;
  try {
    const object = compile(build, program);
    const { maxEntries = {} } = program;
    const text = readFileSync(join(build.root, program.source), 'utf8');
    loaded = await loadConfigured(readFileSync(object), undefined, {
      ...{ isDetached: true, maxEntries, without: programsIn(text, program.without) },
    });
    // The name of a map of variables begins with the name of the object.
    const names = new Map([...loaded.maps].map(([name, { id }]) => [id, name.replace(/^[^.]+(?=\.)/, '')]));
    const rows = [];
    for (const map of (await listMaps()).maps) {
      const name = names.get(map.id);
      const expected = name === undefined ? undefined : program.maps[name];
      if (name === undefined || (expected === undefined && map.known === undefined)) continue;
      rows.push({ map: name, slots: titleOf(expected), ...judge(map, expected) });
    }
    return rows;
  } catch (error) {
    const [message = ''] = /** @type {Error} */ (error).message.split('\n');
    const text = readFileSync(join(build.root, program.source), 'utf8');
    const isFentry = message.includes('EPERM') && programsIn(text, /^(?:fentry|fexit)\//).length > 0;
    const why = isFentry ? 'this kernel loads no fentry programs' : message;
    return Object.entries(program.maps).map(([map, expected]) => ({
      ...{ map, slots: titleOf(expected), outcome: 'not loaded', why },
    }));
  } finally {
    loaded?.close();
  }
}

/**
 * Compiles a program as its tool configures it.
 *
 * @param {{ readonly root: string, readonly clang: string, readonly flags: readonly string[] }} build
 * @param {NamedProgram} program
 */
function compile({ root, clang, flags }, { source, constants = {}, edits = [], flags: own = [] }) {
  const file = join(root, source);
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of edits) text = text.replaceAll(from, to);
  for (const [name, value] of Object.entries(constants)) {
    const definition = new RegExp(`(const volatile \\w+ ${name.replace('[', '\\[')}) = [^;]*;`);
    if (!definition.test(text)) throw new Error(`${source} has no constant ${name}`);
    text = text.replace(definition, `$1 = ${value};`);
  }
  const copy = join(dirname(file), 'configured.bpf.c');
  writeFileSync(copy, text);
  const object = join(root, 'program.o');
  const args = ['-g', '-O2', '-target', 'bpf', '-D__TARGET_ARCH_x86', '-idirafter', MACHINE_HEADERS];
  run(clang, [...args, ...flags, ...own, '-c', relative(root, copy), '-o', object], root);
  return object;
}

const MACHINE_HEADERS = '/usr/include/x86_64-linux-gnu';

/**
 * The programs of a source whose sections match.
 *
 * @param {string} text
 * @param {RegExp} [sections]
 */
function programsIn(text, sections) {
  const functions = [...text.matchAll(/SEC\("([^"]+)"\)\s*int (?:BPF_\w+\()?(\w+)/g)];
  return functions.flatMap(([, section = '', name = '']) => (sections?.test(section) ? [name] : []));
}

/** @param {Slots | undefined} slots */
function titleOf(slots) {
  if (slots === undefined) return 'no histogram';
  const { layout, divisor = 1 } = slots;
  const [first, second, ...more] = layout.split(',');
  const shown = more.length > 0 ? `${first}, ${second}, …` : layout;
  return divisor === 1 ? shown : `${shown} of value / ${divisor.toLocaleString('en-US')}`;
}

/**
 * @param {import('@hdrscope/ebpf/internal').VisibleMap} map
 * @param {Slots | undefined} expected
 * @returns {Pick<Row, 'outcome' | 'why'>}
 */
function judge({ known, why }, expected) {
  if (known === undefined) return { outcome: 'refused', why: why.replace(/^.*does not show it: /, '') };
  const { layout, ground, shape } = known;
  if (expected === undefined) return { outcome: 'wrong', why: ground };
  const { divisor = 1, sum } = expected;
  const { slots, firstIndex } = parseKernelLayout(expected.layout);
  const isSame =
    JSON.stringify([layout.slots.bounds, layout.firstIndex]) === JSON.stringify([slots.bounds, firstIndex]);
  const isUnit = ground.includes('divided by')
    ? ground.endsWith(` ${divisor.toLocaleString('en-US')}`)
    : divisor === 1 || !ground.startsWith('measured');
  const isSum = sum === undefined || shape.sum === sum;
  const isRight = isSame && isUnit && isSum;
  return { outcome: isRight ? 'right' : 'wrong', why: isRight ? '' : `${ground}, sum ${shape.sum}` };
}

/** @param {readonly Row[]} rows */
export function tableOfTools(rows) {
  const lines = rows.map(
    ({ project, tool, map, slots, outcome, why }) =>
      `| ${project} | ${tool} | ${map} | ${slots} | ${outcome}${outcome === 'right' ? '' : `: ${why}`} |`,
  );
  return [
    '| tool | program | map | slots by its source | result |',
    '|---|---|---|---|---|',
    ...new Set(lines),
  ].join('\n');
}
