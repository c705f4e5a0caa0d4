import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { javaScriptOf } from './java-script.ts';

const PACKAGES = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const SCOPE = '@hdrscope/';

interface Manifest {
  readonly exports?: unknown;
  readonly imports?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Packages of this workspace as JavaScript in a temporary folder, for threads and processes: Jest transforms only the
 * modules that it loads itself.
 */
export class BuiltPackages {
  readonly directory: string = mkdtempSync(join(tmpdir(), 'hdrscope-'));

  /** @param names The folders of the packages. The packages that these import are built too. */
  constructor(names: readonly string[]) {
    buildPackages(this.directory, names);
  }

  /** Writes a module that may import the packages, and returns its path. */
  script(name: string, code: string): string {
    const file = join(this.directory, `${name}.mjs`);
    writeFileSync(file, code);
    return file;
  }

  /** Lets every user of the machine read the folder, also where others cannot enter the folder of the workspace. */
  openToEveryone(): void {
    const modules = join(this.directory, 'node_modules');
    for (const entry of readdirSync(modules, { withFileTypes: true, recursive: true })) {
      if (!entry.isSymbolicLink()) continue;
      const name = relative(modules, join(entry.parentPath, entry.name));
      rmSync(join(modules, name));
      for (const one of withDependencies(name))
        cpSync(join(MODULES, one), join(modules, one), { recursive: true });
    }
    const { status, stderr } = spawnSync('chmod', ['-R', 'a+rX', this.directory], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}

/** Builds packages into the `node_modules` of a folder, whose modules may then import them. */
export function buildPackages(directory: string, names: readonly string[]): void {
  const modules = join(directory, 'node_modules');
  const built = new Set<string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (built.has(name)) continue;
    built.add(name);
    const manifest = readManifest(join(PACKAGES, name));
    buildPackage(join(PACKAGES, name), join(modules, SCOPE, name), manifest);
    const dependencies = dependenciesOf(manifest);
    for (const name of dependencies.filter(isOurs)) open.push(name.slice(SCOPE.length));
    // `src/third-party` imports packages that `dist` contains.
    const others = [...dependencies, ...Object.keys(manifest.devDependencies ?? {})].filter(
      (name) => !isOurs(name),
    );
    for (const name of others) link(join(MODULES, name), join(modules, name));
  }
}

const isOurs = (name: string): boolean => name.startsWith(SCOPE);

function buildPackage(source: string, target: string, { exports, imports = {} }: Manifest): void {
  const files = readdirSync(join(source, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.[jt]s$/.test(entry.name))
    .map((entry) => relative(source, join(entry.parentPath, entry.name)));
  for (const file of files) {
    const built = join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(built), { recursive: true });
    writeFileSync(built, javaScriptOf(join(source, file)));
  }
  const manifest = { type: 'module', exports: builtMap(exports), imports: builtMap(imports) };
  writeFileSync(join(target, 'package.json'), JSON.stringify(manifest));
}

/** A map of `exports` or `imports` that leads to the built sources. */
function builtMap(map: unknown): unknown {
  if (typeof map === 'string') return map.replace(/\.ts$/, '.js');
  const entries = Object.entries(map as object);
  const source = entries.find(([condition]) => condition === '@hdrscope/source');
  if (source !== undefined) return builtMap(source[1]);
  return Object.fromEntries(entries.map(([key, value]) => [key, builtMap(value)]));
}

function link(target: string, path: string): void {
  // Optional packages may be missing.
  if (!existsSync(target) || existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

function withDependencies(name: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(name) || !existsSync(join(MODULES, name))) return found;
  found.add(name);
  for (const dependency of dependenciesOf(readManifest(join(MODULES, name))))
    withDependencies(dependency, found);
  return found;
}

function dependenciesOf({
  dependencies,
  peerDependencies,
  optionalDependencies,
}: Manifest): readonly string[] {
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
