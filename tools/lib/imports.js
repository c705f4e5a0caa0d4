import { createPositions, literalText, parse, walk } from './syntax.js';

/**
 * @typedef {import('./syntax.js').Node} Node
 *
 * @typedef {object} Import
 * @property {string | undefined} specifier `undefined` when it is computed at run time.
 * @property {boolean} typeOnly Whether the import disappears at run time.
 * @property {number} line
 */

/**
 * Finds every way in which a module names another one: static and dynamic imports, re-exports, `require`, types,
 * module augmentations, and Jest's mocks.
 *
 * @param {string} source
 * @param {string} file
 * @returns {Import[]}
 */
export function findImports(source, file) {
  const program = parse(source, file);
  const positions = createPositions(source);
  const requires = namesOfRequire(program);
  /** @type {Import[]} */
  const imports = [];
  walk(program, (node) => {
    const found = importOf(node, requires);
    if (found !== undefined) imports.push({ ...found, line: positions.line(node.span.start) });
  });
  return imports;
}

/**
 * @param {Node} node
 * @param {Set<string>} requires
 * @returns {Omit<Import, 'line'> | undefined}
 */
function importOf(node, requires) {
  switch (node.type) {
    // `import { type A } from 'x'` is not type-only: with verbatimModuleSyntax, `import {} from 'x'` stays.
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
      return { specifier: node.source.value, typeOnly: node.typeOnly };
    case 'ExportNamedDeclaration':
      return node.source ? { specifier: node.source.value, typeOnly: node.typeOnly } : undefined;
    case 'TsImportEqualsDeclaration':
      return node.moduleRef.type === 'TsExternalModuleReference'
        ? { specifier: node.moduleRef.expression.value, typeOnly: node.isTypeOnly }
        : undefined;
    case 'TsImportType':
      return { specifier: node.argument.value, typeOnly: true };
    case 'TsModuleDeclaration':
      return node.id.type === 'StringLiteral' ? { specifier: node.id.value, typeOnly: true } : undefined;
    case 'CallExpression':
      return isLoader(node.callee, requires)
        ? { specifier: literalText(node.arguments[0]?.expression), typeOnly: false }
        : undefined;
    default:
      return undefined;
  }
}

const LOADING_METHODS = new Set([
  'import.meta.resolve',
  'process.getBuiltinModule',
  'jest.mock',
  'jest.doMock',
  'jest.setMock',
  'jest.requireActual',
  'jest.requireMock',
  'jest.createMockFromModule',
  'jest.unstable_mockModule',
]);

/**
 * @param {Node} callee
 * @param {Set<string>} requires
 */
function isLoader(callee, requires) {
  if (callee.type === 'Import' || isRequire(callee, requires)) return true;
  if (callee.type !== 'MemberExpression') return false;
  if (isRequire(callee.object, requires)) return callee.property.value === 'resolve';
  const owner = callee.object.type === 'MetaProperty' ? 'import.meta' : callee.object.value;
  return LOADING_METHODS.has(`${owner}.${callee.property.value}`);
}

/**
 * @param {Node} node
 * @param {Set<string>} requires
 */
function isRequire(node, requires) {
  return (node.type === 'Identifier' && requires.has(node.value)) || isCreateRequire(node);
}

/** @param {Node | null | undefined} node */
function isCreateRequire(node) {
  return (
    node?.type === 'CallExpression' &&
    [node.callee.value, node.callee.property?.value].includes('createRequire')
  );
}

/** @param {Node} program */
function namesOfRequire(program) {
  const names = new Set(['require']);
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator' && isCreateRequire(node.init)) names.add(node.id.value);
  });
  return names;
}
