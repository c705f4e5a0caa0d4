import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProjects, workspaceRoot } from '../lib/workspace.js';

const packages = listProjects(workspaceRoot).filter(({ path }) => path.startsWith('packages/'));

function readDocument(name: string): string {
  return readFileSync(join(workspaceRoot, name), 'utf8');
}

/** The description of a package: one sentence. */
function descriptionOf(path: string): string {
  return JSON.parse(readDocument(`${path}/package.json`)).description;
}

test('the README lists the packages for users, the playground and the demo, with the purpose that their package.json states', () => {
  const rows = [
    ...readDocument('README.md').matchAll(/^\| \[`([^`]+)`\]\((packages\/[^)]+)\) \| (.+) \|$/gm),
  ];
  const listed = rows.map(([, name, path, purpose]) => `${path} ${name}: ${purpose}.`).sort();
  const expected = packages
    .filter(({ path }) => path !== 'packages/testing' && path !== 'packages/page')
    .map(({ path, name }) => `${path} ${name}: ${descriptionOf(path)}`)
    .sort();
  expect(listed).toEqual(expected);
});

test('ARCHITECTURE.md has a row for each package, with its layer', () => {
  const rows = [...readDocument('ARCHITECTURE.md').matchAll(/^\| `(packages\/[^/`]+)` \| (\w+) \|/gm)];
  const listed = rows.map(([, path, layer]) => `${path}: ${layer}`).sort();
  const expected = packages.map(
    ({ path, manifest }) => `${path}: ${manifest.nx?.tags?.[0]?.replace('layer:', '')}`,
  );
  expect(listed).toEqual(expected.sort());
});
