/**
 * `npm run kernel-layouts`: compiles programs that count by known layouts, loads them without attaching them, and compares what is
 * measured from their instructions with the truth. It takes a minute, root, clang, the headers of libbpf, and libbpf.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kernelMap, listMaps, parseKernelLayout, sumCpus } from '@hdrscope/ebpf';
import { createMap, loadBpf, loadConfigured, loadKoffi, testRun } from '@hdrscope/ebpf/internal';
import { fillMarkers } from '../lib/markers.js';
import { readOptions, runTool } from '../lib/options.js';
import { workspaceRoot } from '../lib/workspace.js';
import { CONVENTIONS, STORAGES, writeProgram } from './conventions.js';
import { measureTools, tableOfTools } from './measure-tools.js';

const options = readOptions('npm run kernel-layouts --', {
  objects: {
    text: 'DIR',
    help: 'loads the object files (.bpf.o) of a folder instead, and prints what is measured of their maps',
  },
  sources: {
    text: 'DIR',
    help: 'compiles the programs of named tools instead, from the git repositories bcc, ebpf_exporter, inspektor-gadget and libbpf in a folder',
  },
  cost: { flag: 'measures what a list of 200 programs and 400 maps costs instead' },
  clang: {
    text: 'NAME,...',
    help: 'compiles with another compiler, or with several: then the table has a row for each',
    default: 'clang',
  },
  write: { flag: 'puts the table into packages/ebpf/README.md' },
  verbose: { flag: 'prints each program that is not right' },
});

/** The types of the kernel that the programs of the package have. */
const HEADERS = join(workspaceRoot, 'packages/ebpf/program');

// What a list is measured with, and what it may cost.
const PROGRAMS = 200;
const MAPS = 400;
const MOST_CPU_SECONDS = 3;
const MOST_TURN_MS = 50;

const LEVELS = ['-O1', '-O2', '-O3'];

/** What the verifier refuses is not loaded. @typedef {'right' | 'refused' | 'wrong' | 'not loaded'} Outcome */

/** @typedef {Record<Outcome, number>} Tally */

/** @typedef {{ isInline: boolean, hasTypes: boolean, isTime: boolean, level: string, compiler: string }} Way */

await runTool(() => {
  if (options.objects !== '') return measureObjects(options.objects);
  if (options.sources !== '') return measureSources(options.sources);
  return options.cost ? measureCost() : main();
});

async function main() {
  const compilers = options.clang.split(',');
  /** @type {Map<string, Tally>} */
  const byCompiler = new Map();
  let table = '';
  for (const compiler of compilers) {
    const rows = await measureConventions(compiler);
    byCompiler.set(versionOf(compiler), sumOf([...rows.values()]));
    table = tableOf('slots', rows);
    console.log(table);
  }
  if (compilers.length > 1) {
    table = tableOf('compiler', byCompiler);
    console.log(table);
  }
  const { right, refused, wrong } = sumOf([...byCompiler.values()]);
  if (right + refused + wrong === 0) throw new Error('no program was loaded: --verbose prints why');
  if (wrong > 0) throw new Error(`${wrong} layouts are wrong`);
  const marker = compilers.length > 1 ? 'kernel-layouts-compilers' : 'kernel-layouts';
  if (options.write) fillMarkers('packages/ebpf/README.md', marker, table);
}

/** @param {string} compiler */
function versionOf(compiler) {
  const { stdout = '' } = spawnSync(compiler, ['--version'], { encoding: 'utf8' });
  return `clang ${/version (\S+?\.\d+\.\d+)/.exec(stdout)?.[1] ?? compiler}`;
}

/** @param {string} compiler @returns {Promise<Map<string, Tally>>} */
async function measureConventions(compiler) {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-layouts-'));
  /** @type {Map<string, Tally>} */
  const rows = new Map();
  try {
    let number = 0;
    for (const convention of CONVENTIONS) {
      for (const storage of STORAGES) {
        // Each pair comes in two ways, so that all ways meet all conventions and all storages.
        for (const isTime of [false, true]) {
          number++;
          const way = {
            isInline: number % 3 !== 0,
            hasTypes: number % 4 < 2,
            isTime,
            level: LEVELS[(number % 3 === 0 ? 1 : number % 5) % 3] ?? '-O2',
          };
          const outcome = await measureOne(folder, convention, storage, { ...way, compiler });
          if (options.verbose && outcome.outcome !== 'right') {
            console.log(
              `${outcome.outcome}: ${convention.name}, ${storage.name}, ${JSON.stringify(way)}: ${outcome.why}`,
            );
          }
          const row = rows.get(convention.name) ?? sumOf([]);
          row[outcome.outcome]++;
          rows.set(convention.name, row);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return rows;
}

/** @param {readonly Tally[]} all @returns {Tally} */
function sumOf(all) {
  const sum = (/** @type {Outcome} */ outcome) => all.reduce((total, row) => total + row[outcome], 0);
  return {
    right: sum('right'),
    refused: sum('refused'),
    wrong: sum('wrong'),
    'not loaded': sum('not loaded'),
  };
}

/** @param {string} title What a row is. @param {ReadonlyMap<string, Tally>} rows */
function tableOf(title, rows) {
  const all = sumOf([...rows.values()]);
  /** @type {readonly Outcome[]} */
  const columns = [
    'right',
    'refused',
    'wrong',
    ...(all['not loaded'] > 0 ? /** @type {const} */ (['not loaded']) : []),
  ];
  const lineOf = (/** @type {string} */ name, /** @type {Tally} */ row) =>
    `| ${[name, ...columns.map((outcome) => row[outcome])].join(' | ')} |`;
  return [
    `| ${[title, ...columns].join(' | ')} |`,
    `|---|${columns.map(() => '--:|').join('')}`,
    ...[...rows].map(([name, row]) => lineOf(name, row)),
    lineOf('all', all),
  ].join('\n');
}

/**
 * @param {string} folder
 * @param {import('./conventions.js').Convention} convention
 * @param {import('./conventions.js').Storage} storage
 * @param {Way} way
 */
function compile(folder, convention, storage, way) {
  const object = join(folder, 'program.o');
  writeFileSync(join(folder, 'program.c'), writeProgram(convention, storage, way));
  const args = [
    way.level,
    '-g',
    '-target',
    'bpf',
    '-Wno-pass-failed',
    `-I${HEADERS}`,
    '-c',
    join(folder, 'program.c'),
    '-o',
    object,
  ];
  const { status, stderr } = spawnSync(way.compiler, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`clang refuses a program: ${stderr}`);
  return object;
}

/**
 * @param {string} folder
 * @param {import('./conventions.js').Convention} convention
 * @param {import('./conventions.js').Storage} storage
 * @param {Way} way
 * @returns {Promise<{ outcome: Outcome, why: string }>}
 */
async function measureOne(folder, convention, storage, way) {
  const object = compile(folder, convention, storage, way);
  const bpf = await loadBpf();
  let loaded;
  try {
    loaded = await loadConfigured(readFileSync(object), undefined, { isDetached: true });
  } catch (error) {
    return { outcome: 'not loaded', why: /** @type {Error} */ (error).message };
  }
  const program = /** @type {{ fd: number }} */ (loaded.programs[0]).fd;
  try {
    const layout = parseKernelLayout(convention.layout);
    const id = [...loaded.maps].find(([name]) => name === storage.map || name.endsWith(storage.map))?.[1].id;
    if (id === undefined)
      throw new Error(`no map ${storage.map} among ${[...loaded.maps.keys()].join(', ')}`);
    const values = way.isTime ? [] : valuesFor(layout);
    for (const value of values) testRun(bpf, program, [value, 2]);
    if (way.isTime) for (let i = 0; i < 2; i++) testRun(bpf, program, [0, 2]);
    const source = kernelMap({ id });
    try {
      const { histograms, ground = '' } = await source.read();
      const found = histograms.map(({ layout: { slots, firstIndex } }) =>
        JSON.stringify([slots.bounds, firstIndex]),
      );
      // The index of the first slot in a value without types is where the first count is.
      const expected = JSON.stringify([layout.slots.bounds, layout.firstIndex]);
      const right = [expected, JSON.stringify([layout.slots.bounds, 0])];
      const isSame = found.length > 0 && found.every((one) => right.includes(one));
      if (!isSame) return { outcome: 'wrong', why: `${ground}, ${found[0]}` };
      if (!ground.includes(convention.note ?? 'measured')) return { outcome: 'wrong', why: ground };
      if (way.isTime) return { outcome: 'right', why: '' };
      const totals = histograms.map((one) =>
        Array.from({ length: layout.slots.slotCount }, (_, slot) => sumCpus(one).counts.at(slot)),
      );
      const seen = layout.slots.bounds
        .concat(0)
        .map((_, slot) => totals.reduce((sum, one) => sum + (one[slot] ?? 0), 0));
      const unit = convention.note === undefined ? 1 : 1000;
      const counted = layout.slots.bounds
        .concat(0)
        .map(
          (_, slot) =>
            values.filter((value) => layout.slots.slotOf(Math.floor(value / unit)) === slot).length,
        );
      return JSON.stringify(seen) === JSON.stringify(counted)
        ? { outcome: 'right', why: '' }
        : { outcome: 'wrong', why: `counts ${seen} are not ${counted}` };
    } catch (error) {
      return { outcome: 'refused', why: /** @type {Error} */ (error).message };
    } finally {
      await source.close();
    }
  } finally {
    loaded.close();
  }
}

/**
 * Values on both sides of each bound.
 *
 * @param {import('@hdrscope/ebpf').KernelLayout} layout
 */
function valuesFor({ slots }) {
  const bounds = slots.bounds.filter((_, i) => i % Math.ceil(slots.bounds.length / 30) === 0);
  return [0, 1, 12_345, 2 ** 40 + 3, ...bounds.flatMap((bound) => [bound, bound + 1])];
}

/** Lists many programs and maps, and measures the time of the CPU, in all and in the longest turn of the event loop. */
async function measureCost() {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-layouts-'));
  const bpf = await loadBpf();
  const loaded = [];
  const others = [];
  try {
    const way = { isInline: true, hasTypes: true, isTime: true, level: '-O2', compiler: options.clang };
    const objects = CONVENTIONS.flatMap((convention) =>
      STORAGES.slice(0, 2).map((storage) => readFileSync(compile(folder, convention, storage, way))),
    );
    for (let i = 0; i < PROGRAMS; i++) {
      const object = /** @type {Buffer} */ (objects[i % objects.length]);
      loaded.push(await loadConfigured(object, undefined, { isDetached: true }));
    }
    const maps = loaded.reduce((sum, one) => sum + one.maps.size, 0);
    for (let i = maps; i < MAPS; i++)
      others.push(createMap(bpf, { type: 'array', keySize: 4, valueSize: 8, maxEntries: 27, name: 'other' }));
    const before = process.cpuUsage();
    const { result: list, longest } = await measureTurns(() => listMaps());
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1e6;
    const known = list.maps.filter((map) => map.known !== undefined).length;
    console.log(
      `${loaded.length} programs, ${list.maps.length} maps, ${known} of known layout: ${seconds.toFixed(1)} s of CPU`,
    );
    console.log(
      `longest turn of the event loop: ${longest.cpuMs.toFixed(0)} ms of CPU, ${longest.clockMs.toFixed(0)} ms by the clock`,
    );
    if (seconds > MOST_CPU_SECONDS) throw new Error(`the list takes more than ${MOST_CPU_SECONDS} s of CPU`);
    if (longest.cpuMs > MOST_TURN_MS) throw new Error(`a turn takes more than ${MOST_TURN_MS} ms of CPU`);
  } finally {
    for (const one of loaded) one.close();
    for (const fd of others) bpf.close(fd);
    rmSync(folder, { recursive: true });
  }
}

/** `CLOCK_THREAD_CPUTIME_ID`, in the order of `struct timespec` on 64 bits. Node.js 20 knows the time of the whole process only. */
async function threadClock() {
  const koffi = await loadKoffi();
  const getTime = koffi.load(null).func('int clock_gettime(int clock, void *time)');
  const time = new BigInt64Array(2);
  return () => {
    getTime(3, time);
    return Number(time[0]) * 1e3 + Number(time[1]) / 1e6;
  };
}

/**
 * Does some work, and measures the turns of the event loop meanwhile. The time by the clock has what other processes took in it, too.
 *
 * @template Result
 * @param {() => Promise<Result>} work
 */
async function measureTurns(work) {
  const cpuMs = await threadClock();
  const longest = { cpuMs: 0, clockMs: 0 };
  let isDone = false;
  const watch = async () => {
    let [cpu, clock] = [cpuMs(), performance.now()];
    while (!isDone) {
      await sleep(1);
      const [cpuNow, clockNow] = [cpuMs(), performance.now()];
      longest.cpuMs = Math.max(longest.cpuMs, cpuNow - cpu);
      longest.clockMs = Math.max(longest.clockMs, clockNow - clock);
      [cpu, clock] = [cpuNow, clockNow];
    }
  };
  const watching = watch();
  const result = await work();
  isDone = true;
  await watching;
  return { result, longest };
}

/** @param {string} folder */
async function measureSources(folder) {
  const rows = await measureTools(folder, options.clang);
  const table = tableOfTools(rows);
  console.log(table);
  const wrong = rows.filter(({ outcome }) => outcome === 'wrong').length;
  if (wrong > 0) throw new Error(`${wrong} layouts are wrong`);
  if (options.write) fillMarkers('packages/ebpf/README.md', 'kernel-layouts-tools', table);
}

/** @param {string} folder */
async function measureObjects(folder) {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.o'))) {
    let loaded;
    try {
      loaded = await loadConfigured(readFileSync(join(folder, name)), undefined, { isDetached: true });
      const ids = [...loaded.maps.values()].map(({ id }) => id);
      const { maps } = await listMaps();
      for (const map of maps.filter(({ id }) => ids.includes(id))) {
        const isShown = map.known !== undefined || map.guesses.length > 0;
        if (isShown) console.log(`${name} ${map.name}: ${map.known?.ground ?? `refused: ${map.why}`}`);
      }
    } catch (error) {
      console.log(`${name}: skipped: ${/** @type {Error} */ (error).message.split('\n')[0]}`);
    } finally {
      loaded?.close();
    }
  }
}
