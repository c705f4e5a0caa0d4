import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../peers/run.js';
import { CONSUMERS } from './consumers.js';
import { licenceProblems } from './licences.js';
import { packagesOf, readmeExamples, runExamples } from './readme-examples.js';

/** Packages that README files tell a user to install besides those of hdrscope. */
const OTHERS = [
  '@opentelemetry/api@1.9',
  '@opentelemetry/sdk-metrics@2',
  '@duckdb/node-api',
  '@napi-rs/canvas',
  'yaml',
];
const TOOLS = [
  'typescript@5.9',
  '@types/node@20',
  'esbuild',
  'rollup',
  '@rollup/plugin-node-resolve',
  'webpack',
  'webpack-cli',
  'deno',
  'bun',
];

/** A project in a folder of its own, which has only what it has installed from a registry. */
export class CleanProject {
  #npmrc;

  /** @param {string} npmrc The settings of npm. */
  constructor(npmrc) {
    this.folder = mkdtempSync(join(tmpdir(), 'hdrscope-user-'));
    this.#npmrc = npmrc;
    writeFileSync(
      join(this.folder, 'package.json'),
      '{ "name": "user", "version": "1.0.0", "private": true }',
    );
  }

  /** @param {string[]} packages */
  install(packages) {
    this.#npm('install', '--ignore-scripts', ...packages);
  }

  /** @param {string[]} names Of the packages of hdrscope. */
  installAll(names) {
    this.install([...names, ...OTHERS]);
  }

  /**
   * A CycloneDX document of all that a user gets.
   *
   * @returns {string}
   */
  sbom() {
    return this.#npm('sbom', '--sbom-format=cyclonedx', '--omit=dev');
  }

  /** @param {string} sbom */
  licenceProblems(sbom) {
    return licenceProblems(JSON.parse(sbom).components ?? []);
  }

  /**
   * Compiles and runs every example of the README files and of the other documents.
   *
   * @param {string} root Of the repository with the documents.
   * @returns {number} How many there are.
   * @throws Error when one of them does not do what it says.
   */
  runExamples(root) {
    const examples = readmeExamples(root);
    this.install(packagesOf(root, examples, (name) => existsSync(join(this.folder, 'node_modules', name))));
    const problems = runExamples(this.folder, examples);
    if (problems.length > 0) throw new Error(`examples:\n${problems.join('\n')}`);
    return examples.length;
  }

  /**
   * Runs the example of the README as it stands.
   *
   * @param {string} readme
   * @throws Error when it prints something else.
   */
  runReadme(readme) {
    const [, code, printed] =
      /Save this as `shop\.mjs`:\n\n```js\n([\s\S]*?)```\n\n```console\n\$ node shop\.mjs\n([\s\S]*?)```/.exec(
        readme,
      ) ?? [];
    if (code === undefined || printed === undefined)
      throw new Error('README.md has no example shop.mjs with what it prints');
    writeFileSync(join(this.folder, 'shop.mjs'), code);
    const output = run(process.execPath, ['shop.mjs'], { cwd: this.folder, limitSeconds: 60 });
    if (output !== printed)
      throw new Error(`shop.mjs of README.md prints ${output.trim()} instead of ${printed.trim()}`);
  }

  /**
   * Runs the command that the package `hdrscope` brings.
   *
   * @param {string[]} args
   */
  command(...args) {
    return run(join(this.folder, 'node_modules/.bin/hdrscope'), args, { cwd: this.folder, limitSeconds: 60 });
  }

  /** Installs compilers, bundlers and other runtimes. */
  installTools() {
    this.#npm('install', '--ignore-scripts', '--save-dev', ...TOOLS);
    // Its program is a package of its own, which this script puts in place.
    run(process.execPath, ['install.js'], { cwd: join(this.folder, 'node_modules/bun'), limitSeconds: 120 });
  }

  /**
   * Uses the packages in all ways of `CONSUMERS`.
   *
   * @returns {{ name: string, problem: string | undefined }[]}
   */
  use() {
    return CONSUMERS.map(({ name, files, commands }) => {
      const cwd = join(this.folder, 'uses', name);
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(cwd, file)), { recursive: true });
        writeFileSync(join(cwd, file), text);
      }
      return { name, problem: this.#problemOf(cwd, commands) };
    });
  }

  /**
   * @param {string} cwd
   * @param {string[][]} commands
   */
  #problemOf(cwd, commands) {
    const PATH = `${join(this.folder, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`;
    let output = '';
    for (const [program = '', ...args] of commands) {
      const { status, stdout, stderr, error } = spawnSync(program, args, {
        cwd,
        env: { ...process.env, PATH },
        encoding: 'utf8',
        timeout: 180_000,
      });
      if (status !== 0)
        return `${program} failed: ${error?.message ?? `${stdout}${stderr}`.trim().slice(-2000)}`;
      output = stdout;
    }
    return output === 'ok\n' ? undefined : `it printed ${JSON.stringify(output)} instead of ok`;
  }

  /** @param {string[]} args */
  #npm(...args) {
    return run('npm', [...args, '--userconfig', this.#npmrc, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: this.folder,
      limitSeconds: 600,
    });
  }

  /** @param {string} from A folder of examples. */
  copyExamples(from) {
    cpSync(from, join(this.folder, 'examples'), { recursive: true });
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
