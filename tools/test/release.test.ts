import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../lib/workspace.js';
import { parseChange, releasedChangelog } from '../release/changelog.js';
import { licenceProblems } from '../release/licences.js';
import { provenanceProblems } from '../release/provenance.js';
import { published, versionOf } from '../release/tree.js';
import { VERSION_PLACES } from '../release/version-places.js';

const CHANGELOG =
  '# Changelog\n\n## Unreleased\n\n### Added\n\n- a thing\n\n## 0.1.0 - 2026-01-01\n\n- the first\n';

test('a release takes what was unreleased, and the texts of its changes', () => {
  const change = parseChange(
    'brave-cat.md',
    '---\n"hdrscope": minor\n"@hdrscope/core": patch\n---\n\nFaster.\nAnd smaller.\n',
  );
  expect(
    releasedChangelog(CHANGELOG, { version: '1.0.0', date: '2026-11-23', changes: [change] }),
  ).toBe(`# Changelog

## Unreleased

## 1.0.0 - 2026-11-23

### Added

- a thing

### Changes

- \`hdrscope\`, \`@hdrscope/core\`: Faster.
  And smaller.

## 0.1.0 - 2026-01-01

- the first
`);
});

test('a release is written once, into a changelog that waits for it', () => {
  const release = { version: '0.1.0', date: '2026-11-23', changes: [] };
  expect(() => releasedChangelog(CHANGELOG, release)).toThrow('CHANGELOG.md has a section for 0.1.0 already');
  expect(() => releasedChangelog('# Changelog\n', release)).toThrow('must have a section "## Unreleased"');
});

test.each(['no head', '---\n---\n\nNo package.\n', '---\n"hdrscope": minor\n---\n\n'])(
  'the file %j says neither packages nor what changes',
  (file) => {
    expect(() => parseChange('a.md', file)).toThrow('.changeset/a.md must name packages');
  },
);

test.each([
  [[{ license: { id: 'MIT' } }], []],
  [[{ expression: '(MIT OR GPL-3.0-only)' }], []],
  [[{ expression: 'Apache-2.0 AND MIT' }], []],
  [[{ expression: 'MIT AND GPL-3.0-only' }], ['x@1.0.0 has the licence MIT AND GPL-3.0-only']],
  [[{ license: { name: 'SEE LICENSE IN x' } }], ['x@1.0.0 has the licence SEE LICENSE IN x']],
  [[], ['x@1.0.0 states no licence']],
])('of the licences %j these are not allowed: %j', (licenses, problems) => {
  expect(licenceProblems([{ name: 'x', version: '1.0.0', licenses }])).toEqual(problems);
});

test('only our package with programs for the kernel may have parts under GPL 2', () => {
  const licenses = [{ expression: 'Apache-2.0 AND GPL-2.0-only' }];
  expect(licenceProblems([{ name: '@hdrscope/ebpf', version: '1.0.0', licenses }])).toEqual([]);
  expect(licenceProblems([{ name: 'other', version: '1.0.0', licenses }])).toHaveLength(1);
});

test.each(VERSION_PLACES)('$file has the version of the packages', ({ file, pattern }) => {
  const text = readFileSync(join(workspaceRoot, file), 'utf8');
  const version = versionOf(workspaceRoot);
  const found = [...text.matchAll(pattern)].map(([place, before = '']) => place.slice(before.length));
  expect(new Set(found)).toEqual(new Set([version]));
});

const RELEASE_WORKFLOW = readFileSync(join(workspaceRoot, '.github/workflows/release.yml'), 'utf8');

test('every package.json outside the workspaces is among them', () => {
  const manifests = readdirSync(join(workspaceRoot, 'examples'))
    .map((name) => `examples/${name}/package.json`)
    .filter((file) => existsSync(join(workspaceRoot, file)));
  expect(VERSION_PLACES.map(({ file }) => file)).toEqual(expect.arrayContaining(manifests));
});

test('npm can sign where the packages were built', () => {
  const packages = published(workspaceRoot).map(({ path, dir }) => ({
    path,
    manifest: JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')),
  }));
  expect(packages.length).toBeGreaterThan(10);
  expect(provenanceProblems(packages, RELEASE_WORKFLOW)).toEqual([]);
});

test('whatever keeps npm from signing is named', () => {
  const manifest = { name: 'a', repository: { url: 'https://github.com/someone/else', directory: 'b' } };
  const workflow = RELEASE_WORKFLOW.replace('id-token: write', 'id-token: none').replace(' --provenance', '');
  expect(provenanceProblems([{ path: 'packages/a', manifest }], workflow)).toEqual([
    'a: repository.url must be git+https://github.com/hdrscope/hdrscope.git',
    'a: repository.directory must be packages/a',
    'a: publishConfig.access must be public',
    "the job publish of the workflow must have 'id-token: write'",
    "the job publish of the workflow must have 'npm publish --provenance'",
  ]);
});
