/** Writes what client libraries of Prometheus expose for known values: see README.md. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../peers/run.js';

const OUTPUT = join(import.meta.dirname, '../../packages/prometheus/test/fixtures/expositions');
const LIMIT = { limitSeconds: 600 };

/** Runs the program in a copy of its folder. @type {Record<string, (folder: string) => void>} */
const PROGRAMS = {
  go(folder) {
    const env = { GOFLAGS: '-mod=mod', GOWORK: 'off', GOTOOLCHAIN: 'local' };
    run('go', ['run', '.', OUTPUT], { cwd: folder, env, ...LIMIT });
  },
  java(folder) {
    const classPath = join(folder, 'classpath.txt');
    run('mvn', ['-q', '-B', 'compile', 'dependency:build-classpath', `-Dmdep.outputFile=${classPath}`], {
      cwd: folder,
      ...LIMIT,
    });
    run(
      'java',
      ['-cp', `${join(folder, 'target/classes')}:${readFileSync(classPath, 'utf8')}`, 'Expose', OUTPUT],
      LIMIT,
    );
  },
  python(folder) {
    run('python3', ['-m', 'venv', join(folder, 'venv')], LIMIT);
    run(join(folder, 'venv/bin/pip'), ['install', '-q', '-r', join(folder, 'requirements.txt')], LIMIT);
    run(join(folder, 'venv/bin/python'), [join(folder, 'expose.py'), OUTPUT], LIMIT);
  },
  rust(folder) {
    run('cargo', ['run', '-q', '--', OUTPUT], { cwd: folder, ...LIMIT });
  },
};

const names = process.argv.slice(2);
for (const name of names.length === 0 ? Object.keys(PROGRAMS) : names) {
  const program = PROGRAMS[name];
  if (program === undefined) throw new Error(`${name} must be one of ${Object.keys(PROGRAMS).join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), `expositions-${name}-`));
  try {
    cpSync(join(import.meta.dirname, name), folder, { recursive: true });
    program(folder);
    console.log(`${name}: written`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
