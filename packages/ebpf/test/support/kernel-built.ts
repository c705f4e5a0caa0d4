import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const PACKAGES = fileURLToPath(new URL('../../..', import.meta.url));

/** This package as JavaScript, for processes of another user: Jest transforms only what it loads itself. */
export interface BuiltEbpf {
  /** Writes a module that may import the package, and tells where it is. */
  script(name: string, code: string): string;
  remove(): void;
}

export function buildEbpf(): BuiltEbpf {
  const directory = mkdtempSync(join(tmpdir(), 'hdrscope-ebpf-'));
  chmodSync(directory, 0o755);
  build(directory, 'core', {
    '#base64': './src/encoding/base64.node.js',
    '#zlib': './src/encoding/zlib.node.js',
  });
  build(directory, 'registry');
  build(directory, 'ebpf');
  for (const name of ['koffi', 'yaml']) {
    symlinkSync(join(PACKAGES, '../node_modules', name), join(directory, 'node_modules', name));
  }
  return {
    script(name, code) {
      const file = join(directory, `${name}.mjs`);
      writeFileSync(file, code);
      return file;
    },
    remove: () => rmSync(directory, { recursive: true }),
  };
}

function build(directory: string, name: string, imports: Readonly<Record<string, string>> = {}): void {
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
  const manifest = { name: `@hdrscope/${name}`, type: 'module', exports: './src/index.js', imports };
  writeFileSync(join(target, 'package.json'), JSON.stringify(manifest));
}

function javaScriptOf(file: string): string {
  const { code } = transformFileSync(file, {
    swcrc: false,
    configFile: false,
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript' },
      transform: { verbatimModuleSyntax: true },
    },
    module: { type: 'es6' },
  });
  return code.replace(/((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js');
}
