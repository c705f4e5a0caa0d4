import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiReports } from '../api-reports.js';
import { workspaceRoot } from '../lib/workspace.js';
import { createTree } from './temp-tree.ts';

const DECLARATIONS = '/** Adds. */\nexport declare function add(a: string): string;\n';

const LIST = '# a\n\n## Everything it exports\n\n';

/** A workspace with the declarations that a build has made. */
function workspace(): { root: string; types: string; report: string } {
  const root = createTree({
    'package.json': { workspaces: ['packages/*'] },
    'packages/a/package.json': {
      name: 'a',
      version: '1.0.0',
      type: 'module',
      exports: { '.': { '@hdrscope/source': './src/index.ts', types: './dist/index.d.ts' } },
    },
    'packages/a/README.md': `${LIST}\`add\`, \`A\`\n`,
    'packages/a/dist/index.d.ts': DECLARATIONS,
  });
  symlinkSync(join(workspaceRoot, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    types: join(root, 'packages/a/dist/index.d.ts'),
    report: join(root, 'packages/a/api/index.api.md'),
  };
}

test('a report has the public face of an entry, and a check finds a change of it', () => {
  const { root, types, report } = workspace();
  expect(apiReports(root, false)).toEqual([]);
  expect(readFileSync(report, 'utf8')).toContain('export function add(a: string): string;');
  expect(apiReports(root, true)).toEqual([]);

  writeFileSync(types, DECLARATIONS.replace('a: string', 'a: number'));
  expect(apiReports(root, true)).toEqual([
    'packages/a/api/index.api.md differs from the declarations: npm run api',
  ]);
  expect(readFileSync(report, 'utf8')).toContain('a: string');

  rmSync(report);
  expect(apiReports(root, true)).toHaveLength(1);
});

test('a check finds what has no doc comment, and reports of entries that are gone', () => {
  const { root, types } = workspace();
  writeFileSync(types, 'export interface A {\n  b: string;\n}\n');
  const missing = 'packages/a/api/index.api.md has 2 symbols without a doc comment: node tools/check-docs.js';
  expect(apiReports(root, false)).toEqual([missing]);
  writeFileSync(join(root, 'packages/a/api/old.api.md'), '');
  expect(apiReports(root, true)).toEqual([missing, 'packages/a/api/old.api.md is of no entry: remove it']);
});

test('the README of a package lists all that it exports, as code and in its section', () => {
  const { root, types } = workspace();
  const readme = join(root, 'packages/a/README.md');
  const lacks = 'packages/a/README.md, "Everything it exports", lacks names of .:';
  writeFileSync(types, `${DECLARATIONS}/** A sum. */\ninterface Sum {}\nexport type { Sum };\n`);
  writeFileSync(
    readme,
    `# a\n\n\`add\` makes a \`Sum\`.\n${LIST}\`add\` makes a Sum.\n\n## Links\n\n\`Sum\`\n`,
  );
  expect(apiReports(root, false)).toEqual([`${lacks} Sum`]);
  writeFileSync(readme, `${LIST}\`add\` → \`Sum\`\n`);
  expect(apiReports(root, true)).toEqual([]);
  writeFileSync(
    types,
    `${DECLARATIONS}declare class Storage_2 {}\n/** A map. */\nexport { Storage_2 as Storage };\n`,
  );
  expect(apiReports(root, false)).toEqual(expect.arrayContaining([`${lacks} Storage`]));
});

test('a package whose README has no list of names is refused, but the drop-in and the kit', () => {
  const { root } = workspace();
  writeFileSync(join(root, 'packages/a/README.md'), '# a\n');
  expect(apiReports(root, false)).toEqual(['packages/a/README.md, "Everything it exports", is missing']);
  writeFileSync(
    join(root, 'packages/a/package.json'),
    readFileSync(join(root, 'packages/a/package.json'), 'utf8').replace('"a"', '"@hdrscope/kit"'),
  );
  expect(apiReports(root, true)).toEqual([expect.stringContaining('differs from the declarations')]);
});
