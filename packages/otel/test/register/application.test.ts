import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findApplication, isPackageManager } from '../../src/register/application.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hdrscope-application-')));
afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, content: object | string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

write('package.json', { dependencies: { tool: '1', 'app-only': '1' }, devDependencies: { dev: '1' } });
const main = write('src/main.js', '');
const tool = write('node_modules/tool/bin/tool.js', '');
write('node_modules/tool/package.json', { name: 'tool', dependencies: { 'tool-only': '1' } });
write('node_modules/app-only/index.js', 'exports.where = "app";');
write('node_modules/broken/index.js', 'throw new Error("broken inside");');
write('node_modules/tool/node_modules/nested/index.js', 'exports.where = "nested";');
write('node_modules/tool/index.js', '');

test.each([
  ['a module of the application', main, '/'],
  ['a command that is installed in it', tool, folder],
  ['no module', undefined, folder],
])('the dependencies are those of the application: %s', (_, path, workingDirectory) => {
  expect(findApplication(path, workingDirectory).dependencies).toEqual(['tool', 'app-only']);
});

test('packages come from where the application, or a package of it, finds them', () => {
  const application = findApplication(main, '/');
  expect(application.load('app-only')).toEqual({ where: 'app' });
  expect(application.loadFrom('tool', 'nested')).toEqual({ where: 'nested' });
  expect(application.loadFrom('not-there', 'app-only')).toEqual({ where: 'app' });
});

test('the path of a module is looked for where the package that depends on it finds it', () => {
  const application = findApplication(main, '/');
  expect(application.resolveFrom('tool', 'nested')).toBe(
    join(folder, 'node_modules/tool/node_modules/nested/index.js'),
  );
  expect(application.resolveFrom('tool', 'not-there')).toBeUndefined();
});

test.each([
  ['a.mjs', '', true],
  ['a.cjs', 'import "x"', false],
  ['a.js', '// import is a word\nconst a = require("x");', false],
  ['a.js', '#!/usr/bin/env node\nimport express from "express";', true],
  ['a.js', 'export {}', true],
  ['module/a.js', '', true],
  ['commonjs/a.js', 'import "x"', false],
])('whether %s with the text %j may be an ES module: %s', (path, text, expected) => {
  write('module/package.json', { type: 'module' });
  write('commonjs/package.json', { type: 'commonjs' });
  expect(findApplication(write(path, text), folder).mayBeEsModule).toBe(expected);
});

test('without a main module there is no ES module', () => {
  expect(findApplication(undefined, folder).mayBeEsModule).toBe(false);
});

test.each([
  ['not-there', "Cannot find module 'not-there'"],
  ['broken', 'broken inside'],
])('the error for %s has the reason', (specifier, reason) => {
  expect(() => findApplication(main, folder).load(specifier)).toThrow(
    expect.objectContaining({
      code: 'ERR_INVALID_OPTION',
      message: `${specifier} cannot be loaded`,
      cause: expect.objectContaining({ message: expect.stringContaining(reason) }),
    }),
  );
});

test('package managers are recognised, by links to them too', () => {
  const npm = write('lib/npm-cli.js', '');
  symlinkSync(npm, join(folder, 'anything'));
  for (const path of [
    npm,
    join(folder, 'anything'),
    '/x/npx-cli.js',
    '/x/yarn.js',
    '/x/yarn-4.1.0.cjs',
    '/x/pnpm.cjs',
  ]) {
    expect([path, isPackageManager(path)]).toEqual([path, true]);
  }
  for (const path of [undefined, '/x/app.js', '/x/next', '/x/npm-service.js'])
    expect([path, isPackageManager(path)]).toEqual([path, false]);
});

test.each([
  ['module', true],
  ['commonjs', false],
])('NestJS of type %s in a CommonJS program loads packages by ES modules: %s', (type, expected) => {
  const dependencies = { '@nestjs/core': '1' };
  write('nest/package.json', { type: 'commonjs', dependencies });
  write('nest/node_modules/@nestjs/core/package.json', { type, main: 'index.js' });
  write('nest/node_modules/@nestjs/core/index.js', '');
  expect(findApplication(write('nest/main.js', ''), folder).mayBeEsModule).toBe(expected);
});
