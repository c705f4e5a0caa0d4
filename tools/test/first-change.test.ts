import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../lib/workspace.js';

const PAGE = readFileSync(join(workspaceRoot, 'docs/first-change.md'), 'utf8');

const shown = [...PAGE.matchAll(/```diff\n([\s\S]*?)```/g)].flatMap(([, diff = '']) =>
  diff
    .split(/^\+\+\+ b\//m)
    .filter((part) => part !== '')
    .map((part): [file: string, lines: string[]] => {
      const [file = '', ...lines] = part.trimEnd().split('\n');
      return [file, lines.map((line) => line.slice('+'.length))];
    }),
);

test('the page shows a layout, a source and a command', () => {
  expect(PAGE.match(/^## A .*$/gm)).toEqual(['## A layout', '## A source of the agent', '## A command']);
  expect(shown.length).toBeGreaterThanOrEqual(6);
});

test.each(shown)('%s has the lines that the page shows of it, in order', (file, lines) => {
  const all = readFileSync(join(workspaceRoot, file), 'utf8').split('\n');
  let from = 0;
  for (const line of lines) {
    const at = all.indexOf(line, from);
    expect({ line, isThere: at >= 0 }).toEqual({ line, isThere: true });
    from = at + 1;
  }
});

test.each([...PAGE.matchAll(/`(packages\/[\w./-]+|examples\/[\w./-]+)`/g)].map(([, file = '']) => file))(
  '%s exists',
  (file) => {
    expect(() => readFileSync(join(workspaceRoot, file))).not.toThrow();
  },
);
