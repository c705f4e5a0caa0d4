/** Builds and installs peers with the toolchains of their languages. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { run } from './run.js';

const PACKAGES_LIMIT_SECONDS = 300;

/** The limit for all builds of one run. Go does not compile again what it compiled in an interrupted run. */
const GO_LIMIT_SECONDS = 1140;

/**
 * Builds a command with the Go toolchain of the machine, into `bin` of a folder. The direct requirements of `go.mod`
 * determine all other versions; Go verifies its downloads.
 *
 * @param {{ module: string, target: string, program: string, tags?: string }} build `module` is the folder of `go.mod`.
 * @param {string} folder
 */
export function buildWithGo({ module, target, program, tags = '' }, folder) {
  // Go writes to go.mod and go.sum, so it gets copies.
  const sources = join(folder, 'sources');
  cpSync(module, sources, { recursive: true });
  mkdirSync(join(folder, 'bin'));
  // A build takes minutes, so it has a low priority.
  setPriority(10);
  run(
    'go',
    [
      'build',
      ...['-mod=mod', '-buildvcs=false', '-trimpath', '-ldflags=-s -w', `-tags=${tags}`],
      ...['-o', join(folder, 'bin', program), target],
    ],
    {
      cwd: sources,
      // With more memory, the compilers collect garbage more seldom: a fifth less processor time.
      env: { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off', GOGC: '400' },
      limitSeconds: Math.max(1, Math.round(GO_LIMIT_SECONDS - performance.now() / 1000)),
    },
  );
  rmSync(sources, { recursive: true, force: true });
}

const CARGO_LIMIT_SECONDS = 600;

/**
 * Builds a program with the Rust toolchain of the machine, into `bin` of a folder. `Cargo.toml` pins the versions of the
 * crates that it names.
 *
 * @param {string} module The folder of `Cargo.toml`.
 * @param {string} folder
 */
export function buildWithCargo(module, folder) {
  const sources = join(folder, 'sources');
  cpSync(module, sources, { recursive: true });
  run('cargo', ['install', '--quiet', '--path', sources, '--root', folder, '--no-track'], {
    cwd: sources,
    env: { CARGO_TARGET_DIR: join(sources, 'target') },
    limitSeconds: CARGO_LIMIT_SECONDS,
  });
  rmSync(sources, { recursive: true, force: true });
}

/**
 * Builds a program with the JDK and Maven of the machine, with a command in `bin` that runs its class `Peer`. `pom.xml` pins the
 * versions of the packages that it names.
 *
 * @param {string} module The folder of `pom.xml` and of `Peer.java`.
 * @param {string} folder
 */
export function buildWithMaven(module, folder) {
  cpSync(module, folder, { recursive: true });
  const options = { cwd: folder, limitSeconds: PACKAGES_LIMIT_SECONDS };
  const copied = ['--quiet', '--batch-mode', 'dependency:copy-dependencies', '-DoutputDirectory=packages'];
  run('mvn', copied, options);
  run('javac', ['-cp', 'packages/*', '-d', 'classes', 'Peer.java'], options);
  mkdirSync(join(folder, 'bin'));
  const command =
    '#!/bin/sh\nhere="$(dirname "$0")/.."\nexec java -cp "$here/classes:$here/packages/*" Peer "$@"\n';
  writeFileSync(join(folder, 'bin', 'sketches-peer'), command, { mode: 0o755 });
}

/** The artifact by which Spark reads tables of Iceberg. */
export const ICEBERG_OF_SPARK = 'org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.0';

/**
 * Installs PyIceberg, DuckDB with its extension, and the library of Spark.
 *
 * @param {string} module The folder of `run_script.py` and `requirements.txt`.
 * @param {string} folder
 */
export function installIceberg(module, folder) {
  installWithPip({ module, script: 'run_script.py', program: 'iceberg-python' }, folder);
  const copied = [`-Dartifact=${ICEBERG_OF_SPARK}`, '-Dmdep.stripVersion=true', '-DoutputDirectory=jars'];
  run('mvn', ['--quiet', '--batch-mode', 'dependency:copy', ...copied], {
    cwd: folder,
    limitSeconds: PACKAGES_LIMIT_SECONDS,
  });
}

/** The files that determine what npm installs. */
export const MANIFESTS = ['package-lock.json', 'package.json'];

/**
 * Installs the packages of a lock file into `node_modules` of a folder. Their install scripts do not run.
 *
 * @param {string} module The folder of `package.json` and `package-lock.json`.
 * @param {string} folder
 */
export function installWithNpm(module, folder) {
  for (const file of MANIFESTS) cpSync(join(module, file), join(folder, file));
  // Not `npm ci`: a lock file may have the binaries of one platform.
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    limitSeconds: PACKAGES_LIMIT_SECONDS,
  });
}

/**
 * Installs one application with each package manager, in folders with their names. Its dependencies need two versions of one package,
 * so each manager has to lay out two copies.
 *
 * @param {string} module The folder of `application.json`, and of the manifests of the package managers.
 * @param {string} folder
 */
export function installLayouts(module, folder) {
  installWithNpm(module, folder);
  const [pnpm, yarn] = ['pnpm/bin/pnpm.cjs', '@yarnpkg/cli-dist/bin/yarn.js'].map((path) =>
    join(folder, 'node_modules', path),
  );
  const registry = run('npm', ['config', 'get', 'registry'], { cwd: folder, limitSeconds: 30 }).trim();
  const env = {
    YARN_ENABLE_GLOBAL_CACHE: 'false',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    YARN_ENABLE_SCRIPTS: 'false',
    YARN_ENABLE_TELEMETRY: '0',
    YARN_NODE_LINKER: 'node-modules',
    YARN_NPM_REGISTRY_SERVER: registry,
  };
  const install = (
    /** @type {string} */ name,
    /** @type {string} */ program,
    /** @type {(string | undefined)[]} */ args,
  ) => {
    const cwd = join(folder, 'layouts', name);
    mkdirSync(cwd, { recursive: true });
    cpSync(join(module, 'application.json'), join(cwd, 'package.json'));
    // Without it, Yarn looks for a project above.
    if (name === 'yarn') writeFileSync(join(cwd, 'yarn.lock'), '');
    run(program, /** @type {string[]} */ (args), { cwd, env, limitSeconds: PACKAGES_LIMIT_SECONDS });
  };
  install('npm', 'npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  install('pnpm', process.execPath, [pnpm, 'install', '--ignore-scripts']);
  install('yarn', process.execPath, [yarn, 'install']);
}

/**
 * Installs a Python script and the packages of its `requirements.txt` into a folder, with a command in `bin` that runs it.
 *
 * @param {{ module: string, script: string, program: string, isSource?: boolean, requirements?: string }} wanted `module` is the folder of
 *   the script, and `isSource` lets pip build packages that are published as sources only. `requirements` is another file of packages.
 * @param {string} folder
 */
export function installWithPip(
  { module, script, program, isSource = false, requirements = join(module, 'requirements.txt') },
  folder,
) {
  cpSync(module, folder, { recursive: true });
  const packages = join(folder, 'packages');
  run(
    'python3',
    [
      ...[
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        '--no-deps',
        ...(isSource ? [] : ['--only-binary=:all:']),
      ],
      ...['--target', packages, '--requirement', requirements],
    ],
    { limitSeconds: PACKAGES_LIMIT_SECONDS },
  );
  mkdirSync(join(folder, 'bin'));
  // The folder gets its final name later, so the command finds it at run time.
  const command = `#!/bin/sh\nhere="$(dirname "$0")/.."\nPYTHONPATH="$here/packages" exec python3 "$here/${script}" "$@"\n`;
  writeFileSync(join(folder, 'bin', program), command, { mode: 0o755 });
}
