import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describeUnless, lackOfRegistry } from '@hdrscope/testing';

const ROOT = join(import.meta.dirname, '../..');
const CONTRIBUTING = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

/** Commands of the document that are not typed here, and why. */
const ELSEWHERE: readonly [command: RegExp, reason: string][] = [
  [
    /^npm run (check|test:executable|test:long|test:walks|bench:guard|chaos|soak|crowd|fuzz|fuzz -- java.*)$/,
    '.ci/run types it, or runs the same tests',
  ],
  [/^npm (start|test)$/, '.ci/bare types it'],
  [/^\.ci\/run$/, 'it runs this test'],
  [/^npm run (site|registry)$/, 'site.walk.test.ts and get-started.walk.test.ts type it'],
  [/^npm run (executable|image)$/, 'executable.test.ts and image.test.ts make them'],
  [/^npm run (readers|statsd-load)$/, 'it measures beside packages of others, or needs a C compiler'],
  [/^npm run test:peers$/, 'it needs peers that CI does not install'],
  [
    /^npm run (bench|contention|fleet|frameworks|growth|in-service|kernel-layouts|quantile-errors|release -- --rehearse)$/,
    'it takes minutes, and tests of their own run its parts',
  ],
];

/** Endless or long commands, and how they end here. */
const shortened = (command: string): string =>
  command.replace('--minutes 5', '--minutes 0.05').replace('--cases 100000', '--cases 2000');

const commands = [...CONTRIBUTING.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '')),
);

/** A checkout that has what git knows, and what waits to be added. */
let checkout: string;

function type(command: string): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: checkout,
    encoding: 'utf8',
    timeout: 400_000,
    env: { ...process.env, NX_DAEMON: 'false', CI: '', HDRSCOPE_TESTS: undefined },
  });
  if (status !== 0) throw new Error(`${command} ends with ${status}:\n${`${stdout}${stderr}`.slice(-3000)}`);
}

function write(path: string, content: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), content);
}

function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(join(checkout, path), 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${path} has nothing to change`);
  write(path, after);
}

const IN_GIT = 'git -c user.name=a -c user.email=a@localhost';

beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'hdrscope-contributing-'));
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const known = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  // Git knows files that are deleted and not yet committed.
  for (const file of known.filter((name) => name !== '' && existsSync(join(ROOT, name))))
    cpSync(join(ROOT, file), join(checkout, file));
  writePackage();
  type(`git init --quiet && git add --all && ${IN_GIT} commit --quiet -m all`);
}, 60_000);

afterAll(() => rmSync(checkout, { recursive: true }));

/** Makes a package as the document says, so that the commands build it, too. */
function writePackage(): void {
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.test.json', 'LICENSE'])
    cpSync(join(checkout, 'packages/prometheus', file), join(checkout, 'packages/statsd', file));
  const description = 'A registry as lines of StatsD.';
  edit('packages/statsd/package.json', (text) => {
    const manifest = JSON.parse(text.replaceAll('prometheus', 'statsd'));
    const { '.': main, './package.json': own } = manifest.exports;
    return JSON.stringify({
      ...manifest,
      description,
      exports: { '.': main, './package.json': own },
      imports: undefined,
      dependencies: { '@hdrscope/core': manifest.dependencies['@hdrscope/core'] },
      devDependencies: {},
      optionalDependencies: undefined,
      peerDependencies: undefined,
      peerDependenciesMeta: undefined,
    });
  });
  edit('packages/statsd/tsconfig.json', (text) =>
    text.replace(/"references": \[[\s\S]*?\]/, '"references": [{ "path": "../core" }]'),
  );
  edit('tsconfig.json', (text) =>
    text.replace('{ "path": "packages/plot" }', '{ "path": "packages/plot" }, { "path": "packages/statsd" }'),
  );
  write('packages/statsd/src/index.ts', NEW_SOURCE);
  write('packages/statsd/test/line.test.ts', NEW_TEST);
  write(
    'packages/statsd/README.md',
    `# @hdrscope/statsd\n\n${description}\n\n## Everything it exports\n\n\`medianLine\`\n`,
  );
  const row = '| [`@hdrscope/statsd`](packages/statsd) | A registry as lines of StatsD |\n';
  edit('README.md', (text) => text.replace(/(\| \[`@hdrscope\/plot`\].*\n)/, `$1${row}`));
  edit('ARCHITECTURE.md', (text) =>
    text.replace(/(\| `packages\/prometheus` \|.*\n)/, '$1| `packages/statsd` | edge | lines of StatsD |\n'),
  );
}

// A new checkout has no packages yet.
describeUnless(lackOfRegistry())('the commands of CONTRIBUTING.md', () => {
  for (const command of commands) {
    const reason = ELSEWHERE.find(([pattern]) => pattern.test(command))?.[1];
    if (reason !== undefined) console.log(`not typed: ${command}: ${reason}`);
    else test(command, () => type(shortened(command)), 420_000);
  }

  test('change only files of a new package in a checkout that is as it should be', () => {
    const changed = execFileSync('git', ['status', '--short'], { cwd: checkout, encoding: 'utf8' });
    expect(changed.split('\n').filter((line) => line !== '')).toEqual([
      ' M package-lock.json',
      ' M packages/statsd/package.json',
      ' M tsconfig.json',
      '?? packages/statsd/api/',
    ]);
  });

  // The parts of `npm run check` that a new package can break.
  for (const check of ['boundaries.js', 'docs.js', 'packaging.js @hdrscope/statsd']) {
    const command = `node tools/check-${check}`;
    test(`${command}, with a new package`, () => type(command), 420_000);
  }

  test('a new package is checked and tested', () => {
    type('cd packages/statsd && npm run lint && npm run typecheck');
    type('npm test -- statsd');
    type('cd tools && node jest.js test/repository.test.ts test/package-lists.test.ts');
  }, 420_000);
});

const NEW_SOURCE = `import type { Histogram } from '@hdrscope/core';

/**
 * The median of a histogram as a line of StatsD, a timer in milliseconds: https://github.com/statsd/statsd/blob/master/docs/metric_types.md
 *
 * @param name The name of the metric: letters, digits, \`.\` and \`_\`.
 * @example
 * \`\`\`ts
 * import { Histogram } from '@hdrscope/core';
 * import { medianLine } from '@hdrscope/statsd';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1000 });
 * histogram.record(7);
 * medianLine('login', histogram); //=> 'login:7|ms'
 * \`\`\`
 */
export function medianLine(name: string, histogram: Histogram): string {
  return \`\${name}:\${histogram.valueAtPercentile(50)}|ms\`;
}
`;

const NEW_TEST = `import { Histogram } from '@hdrscope/core';
import { medianLine } from '../src/index.ts';

test('a line has the median', () => {
  const histogram = new Histogram({ highestTrackableValue: 1000 });
  histogram.record(7);
  expect(medianLine('login', histogram)).toBe('login:7|ms');
});
`;
