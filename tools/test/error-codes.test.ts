import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentedCodes } from '../check-docs.js';
import type { Node } from '../lib/syntax.js';
import { parse, walk } from '../lib/syntax.js';
import { listFiles, workspaceRoot } from '../lib/workspace.js';

const ERRORS_FILE = /^[^/]+\/src\/errors\.ts$/;
const packagesDir = join(workspaceRoot, 'packages');
const sources = listFiles(packagesDir, /\.ts$/).filter((file) => /^[^/]+\/src\//.test(file));

function parseSource(file: string): Node {
  return parse(readFileSync(join(packagesDir, file), 'utf8'), file);
}

/** The codes of all packages. Each package declares the codes that only it throws. */
function declaredCodes(): string[] {
  const codes: string[] = [];
  for (const file of sources.filter((source) => ERRORS_FILE.test(source))) {
    walk(parseSource(file), (node) => {
      if (node.type !== 'TsTypeAliasDeclaration' || !/ErrorCode$/.test(node.id.value)) return;
      walk(node, (literal) => {
        if (literal.type === 'StringLiteral') codes.push(literal.value);
      });
    });
  }
  return codes;
}

/** The codes that are arguments of calls and constructors. Comparisons with a code do not count. */
function thrownCodes(): Set<string> {
  const codes = new Set<string>();
  for (const file of sources) {
    walk(parseSource(file), (node) => {
      if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
      for (const { expression } of node.arguments ?? []) {
        const outcomes =
          expression.type === 'ConditionalExpression'
            ? [expression.consequent, expression.alternate]
            : [expression];
        for (const { type, value } of outcomes) if (type === 'StringLiteral') codes.add(value);
      }
    });
  }
  return codes;
}

test('every error code is documented, and every documented code exists', () => {
  expect(declaredCodes()).not.toEqual([]);
  expect(documentedCodes(workspaceRoot).toSorted()).toEqual(declaredCodes().toSorted());
});

test('every error code is thrown somewhere', () => {
  const thrown = thrownCodes();
  expect(declaredCodes().filter((code) => !thrown.has(code))).toEqual([]);
});
