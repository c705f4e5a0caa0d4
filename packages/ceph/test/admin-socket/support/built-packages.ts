import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const PACKAGES = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * This package and those that it needs as JavaScript in a folder of their own, which threads and processes need: Jest
 * transforms only what it loads itself.
 */
export class BuiltPackages {
  readonly #directory = mkdtempSync(join(tmpdir(), 'hdrscope-'));

  constructor() {
    this.#build('core', {
      '#base64': './src/encoding/base64.node.js',
      '#zlib': './src/encoding/zlib.node.js',
    });
    this.#build('registry');
    this.#build('ceph');
  }

  /** Writes a module that may import the packages, and tells where it is. */
  script(name: string, code: string): string {
    const file = join(this.#directory, `${name}.mjs`);
    writeFileSync(file, code);
    return file;
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true });
  }

  #build(name: string, imports: Readonly<Record<string, string>> = {}): void {
    const source = join(PACKAGES, name);
    const target = join(this.#directory, 'node_modules/@hdrscope', name);
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
  return code.replace(/(from ['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js');
}
