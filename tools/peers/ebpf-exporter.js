import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { arch, setPriority } from 'node:os';
import { join } from 'node:path';
import { fetchFromGitHub } from './github.js';
import { run } from './run.js';

// Behind v2.5.1, with the examples of June 2026.
export const COMMIT = '3b8f4d7397482c1714ed5c9160e69a207044d741';

const LIMIT_SECONDS = 900;
const ARCHITECTURES = { x64: 'x86', arm64: 'arm64' };

/**
 * Builds ebpf_exporter, with libbpf from its sources, into `bin` of a folder, and those of its examples that have histograms:
 * into `running`, and into `stopped` without the programs that count. The maps of both are pinned by their names, so
 * a `stopped` example has the maps of a `running` one that has ended. `stopped` also has a map of ours, `decoders`. The environment variable `HDRSCOPE_EBPF_EXPORTER` names a
 * clone to take the sources from, where GitHub is out of reach.
 *
 * @param {string} module The folder of `Cargo.toml`, which brings libbpf.
 * @param {string} folder
 */
export function buildEbpfExporter(module, folder) {
  const sources = join(folder, 'sources');
  mkdirSync(sources);
  const clone = process.env.HDRSCOPE_EBPF_EXPORTER;
  fetchFromGitHub({ repository: 'cloudflare/ebpf_exporter', commit: COMMIT, paths: [], clone }, sources);
  setPriority(10);
  const libbpf = makeLibbpf(module, join(sources, 'libbpf'));
  mkdirSync(join(folder, 'bin'));
  run(
    'go',
    [
      ...['build', '-buildvcs=false', '-trimpath', '-ldflags=-s -w'],
      ...['-o', join(folder, 'bin/ebpf_exporter'), './cmd/ebpf_exporter'],
    ],
    {
      cwd: sources,
      env: {
        ...{ CGO_ENABLED: '1', GOTOOLCHAIN: 'local', GOWORK: 'off' },
        CGO_CFLAGS: `-I${join(libbpf, 'usr/include')}`,
        CGO_LDFLAGS: `${join(libbpf, 'usr/lib/libbpf.a')} -lelf -lz`,
      },
      limitSeconds: LIMIT_SECONDS,
    },
  );
  for (const name of examplesIn(join(sources, 'examples'))) {
    const example = { sources, name, include: join(libbpf, 'usr/include') };
    compile(example, join(folder, 'running'), pinned);
    compile(example, join(folder, 'stopped'), (source) => withoutPrograms(pinned(source)));
  }
  for (const file of ['decoders.bpf.c', 'decoders.yaml'])
    cpSync(join(module, file), join(sources, 'examples', file));
  compile(
    { sources, name: 'decoders', include: join(libbpf, 'usr/include') },
    join(folder, 'stopped'),
    pinned,
  );
  renameSync(join(sources, 'LICENSE'), join(folder, 'LICENSE'));
  rmSync(sources, { recursive: true, force: true });
}

/**
 * @param {string} module
 * @param {string} folder
 * @returns {string} The folder of its `usr`.
 */
function makeLibbpf(module, folder) {
  cpSync(module, folder, { recursive: true });
  writeFileSync(join(folder, 'lib.rs'), '');
  run('cargo', ['vendor', '--quiet', 'vendor'], { cwd: folder, limitSeconds: 300 });
  const out = join(folder, 'out');
  run(
    'make',
    [
      ...['-s', '-C', join(folder, 'vendor/libbpf-sys/libbpf/src'), 'BUILD_STATIC_ONLY=1', 'LIBSUBDIR=lib'],
      ...[`OBJDIR=${join(folder, 'objects')}`, `DESTDIR=${out}`, 'install', 'install_uapi_headers'],
    ],
    { limitSeconds: 300 },
  );
  return out;
}

/** @param {string} folder */
function examplesIn(folder) {
  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -5)] : []));
  return names.filter((name) => /^ {2}histograms:/m.test(readFileSync(join(folder, `${name}.yaml`), 'utf8')));
}

/**
 * @param {{ sources: string, name: string, include: string }} example
 * @param {string} folder
 * @param {(source: string) => string} change
 */
function compile({ sources, name, include }, folder, change) {
  const examples = join(sources, 'examples');
  const machine = ARCHITECTURES[/** @type {keyof typeof ARCHITECTURES} */ (arch())] ?? arch();
  mkdirSync(folder, { recursive: true });
  cpSync(join(examples, `${name}.yaml`), join(folder, `${name}.yaml`));
  // A compiler for another machine does not know the headers of this one.
  const own = run('gcc', ['-dumpmachine'], { limitSeconds: 30 }).trim();
  const source = join(folder, `${name}.bpf.c`);
  writeFileSync(source, change(readFileSync(join(examples, `${name}.bpf.c`), 'utf8')));
  run(
    'clang',
    [
      ...['-mcpu=v3', '-g', '-O2', '-target', 'bpf', `-D__TARGET_ARCH_${machine}`],
      // clang before 15 calls this function, which the kernel does not have.
      '-D__builtin_memcmp(a,b,length)=({int _d=0;for(unsigned _i=0;_i<(length);_i++)_d|=((const char*)(a))[_i]^((const char*)(b))[_i];_d;})',
      ...[`-I${examples}`, `-I${join(sources, 'include', machine)}`, `-I${include}`],
      ...['-idirafter', `/usr/include/${own}`, '-idirafter', '/usr/include'],
      ...['-c', source, '-o', join(folder, `${name}.bpf.o`)],
    ],
    { limitSeconds: 120 },
  );
  rmSync(source);
}

/** @param {string} source */
function pinned(source) {
  return source.replace(/^\} \w+ SEC\("\.maps"\);/gm, '__uint(pinning, LIBBPF_PIN_BY_NAME);\n$&');
}

/** @param {string} source */
function withoutPrograms(source) {
  return source.replace(/^SEC\("(?!license)[^"]*"\)\n[\s\S]*?^\}\n/gm, '');
}
