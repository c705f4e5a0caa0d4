import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { javaScriptOf } from './java-script.ts';

/** The folder of the packages of this workspace. */
const PACKAGES = fileURLToPath(new URL('../..', import.meta.url));

/** The `imports` of packages, in JavaScript. */
const IMPORTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  core: {
    '#base64': './src/encoding/base64.node.js',
    '#zlib': './src/encoding/zlib.node.js',
  },
};

/**
 * Packages as JavaScript in a temporary folder, for threads and processes: Jest transforms only modules that it loads
 * itself.
 */
export class BuiltPackages {
  readonly directory: string = mkdtempSync(join(tmpdir(), 'hdrscope-'));

  /** @param names The folders of packages. The packages that they import are built too. */
  constructor(names: readonly string[]) {
    buildPackages(this.directory, names);
  }

  /** Writes a module that can import the packages, and returns its path. */
  script(name: string, code: string): string {
    const file = join(this.directory, `${name}.mjs`);
    writeFileSync(file, code);
    return file;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}

/** Builds packages, and those that they import, into an existing folder: modules in it can import them. */
export function buildPackages(directory: string, names: readonly string[]): void {
  for (const name of withDependencies(names)) {
    const source = join(PACKAGES, name);
    const target = join(directory, 'node_modules/@hdrscope', name);
    const files = readdirSync(join(source, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(source, join(entry.parentPath, entry.name)));
    for (const file of files) {
      const built = join(target, file.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(built), { recursive: true });
      writeFileSync(built, javaScriptOf(join(source, file)));
    }
    const imports = IMPORTS[name] ?? {};
    const manifest = { name: `@hdrscope/${name}`, type: 'module', exports: './src/index.js', imports };
    writeFileSync(join(target, 'package.json'), JSON.stringify(manifest));
  }
}

function withDependencies(names: readonly string[]): ReadonlySet<string> {
  const all = new Set(names);
  // A set that grows while it is walked is walked to its end.
  for (const name of all) {
    const manifest = readFileSync(join(PACKAGES, name, 'package.json'), 'utf8');
    const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Record<string, string> };
    for (const dependency of Object.keys(dependencies)) {
      if (dependency.startsWith('@hdrscope/')) all.add(dependency.slice('@hdrscope/'.length));
    }
  }
  return all;
}
