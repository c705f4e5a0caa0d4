import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeUnless, lackOfBuild, lackOfPeer, lackOfProgram, testUnless } from '@hdrscope/testing';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'packages/cli/bin/hdrscope.js');
const DATA = join(ROOT, 'examples/data');

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describeUnless(
  lackOfPeer('node-26'),
  lackOfProgram('strip'),
  lackOfBuild('dashboard', 'dist/browser'),
)('one executable', () => {
  let folder: string;
  let program: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-executable-'));
    const make = ['run', '--silent', 'executable', '--', '--out', join(folder, 'prefix')];
    program = execFileSync('npm', make, { cwd: ROOT, encoding: 'utf8' }).trim();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a program where nothing of this machine is found: no Node.js, and no packages. */
  function run(file: string, args: readonly string[]): Ran {
    const { status, stdout, stderr } = spawnSync(file, args, { cwd: folder, encoding: 'utf8', env: {} });
    return { status, stdout, stderr };
  }

  test.each([
    ['--version'],
    ['--help'],
    ['log', 'summary', join(DATA, 'before.hlog')],
    ['record', join(DATA, 'latencies.txt'), '--unit', 'ms'],
    ['inspect', join(DATA, 'access.log')],
    ['diff', join(DATA, 'before.hlog'), join(DATA, 'after.hlog')],
    ['convert', join(DATA, 'last-month.hgrm'), '--to', 'json'],
    ['plot', join(DATA, 'before.hlog'), '--format', 'svg'],
    ['plot', join(DATA, 'before.hlog'), '--format', 'html'],
    ['ceph', 'dump', join(DATA, 'osd.json')],
    ['slo', 'rules', '--metric', 'a_seconds', '--threshold', '300ms', '--objective', '99.9%'],
    ['config', 'schema'],
    ['config', 'check', join(ROOT, 'examples/hdrscope.yaml')],
    ['log', 'summary', 'missing.hlog'],
    ['log', 'sumary'],
  ])('hdrscope %s %s %s prints what the package prints', (...args) => {
    const own = run(program, args);
    expect(own).toEqual(run(process.execPath, [BIN, ...args]));
    expect(own.stdout + own.stderr).not.toBe('');
  });

  test('keeps a history', () => {
    const imported = run(program, ['history', 'import', join(DATA, 'before.hlog'), '-o', 'history']);
    expect(imported).toMatchObject({ status: 0, stderr: '' });
    expect(run(program, ['history', 'verify', 'history'])).toMatchObject({ status: 0, stderr: '' });
  });

  test('takes packages with a binary from where npm installs globally', () => {
    const query = ['query', 'history'];
    run(program, ['history', 'import', join(DATA, 'before.hlog'), '-o', 'history']);
    expect(run(program, query).stderr).toMatch(
      /npm install @duckdb\/node-api.*Cannot find module [^\n]*\)\n$/,
    );
    const modules = join(folder, 'prefix/lib/node_modules/@duckdb/node-api');
    mkdirSync(modules, { recursive: true });
    writeFileSync(join(modules, 'index.js'), 'throw new Error("found");');
    expect(run(program, query).stderr).toContain('found');
  });

  test('runs the code by which packages try what may crash', () => {
    const code = 'console.log(process.argv.slice(1), typeof require("node:fs").readFileSync)';
    expect(run(program, ['-e', code, 'a', 'b']).stdout).toBe("[ 'a', 'b' ] function\n");
  });

  test('has the completions of shells', () => {
    const share = join(folder, 'prefix/share');
    const completion = readFileSync(join(share, 'bash-completion/completions/hdrscope'), 'utf8');
    expect(completion).toBe(run(process.execPath, [BIN, 'completion', 'bash']).stdout);
    for (const file of ['zsh/site-functions/_hdrscope', 'fish/vendor_completions.d/hdrscope.fish']) {
      expect(readFileSync(join(share, file), 'utf8')).toContain('hdrscope log summary');
    }
  });

  testUnless(lackOfProgram('mandoc'))('has a page of the manual for each command', () => {
    const pages = join(folder, 'prefix/share/man/man1');
    const files = readdirSync(pages).map((name) => join(pages, name));
    expect(files.length).toBeGreaterThan(50);
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', ...files], { encoding: 'utf8' });
    // Without a date, two builds are equal.
    expect(stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([]);
    const page = spawnSync('mandoc', ['-T', 'ascii', join(pages, 'hdrscope-log-summary.1')], {
      encoding: 'utf8',
    });
    expect(page.stdout.replaceAll(/.[\b]/g, '')).toMatch(/SEE ALSO\n +hdrscope-log\(1\)/);
  });

  test('has the licences of all that it contains', () => {
    const doc = join(folder, 'prefix/share/doc/hdrscope');
    expect(readdirSync(doc).sort()).toEqual(['LICENSE', 'LICENSE.nodejs', 'THIRD-PARTY.txt']);
    expect(readFileSync(join(doc, 'THIRD-PARTY.txt'), 'utf8')).toMatch(/^commander [\d.]+ \(MIT\)$/m);
  });
});
