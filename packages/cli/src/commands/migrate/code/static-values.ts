import type { Node } from '#babel';
import type { CodeModule } from './module.ts';
import type { Binding } from './scopes.ts';

/** The expression that gives a constant its value, also in another module. Names in it are known in that module alone. */
export function readConstant(code: CodeModule, binding: Binding | undefined): Node | undefined {
  if (binding === undefined || !binding.isConstant) return undefined;
  const { identifier } = binding;
  const origin = code.program.findOrigin(code, identifier);
  if (origin !== undefined && origin.code !== code) return readConstant(origin.code, origin.binding);
  const declarator = code.parentOf.get(identifier);
  if (declarator?.type !== 'VariableDeclarator' || declarator.id !== identifier) return undefined;
  return declarator.init ?? undefined;
}

/** The text that an expression always has; `undefined` when it is known only at run time. */
export function evaluateText(code: CodeModule, node: Node): string | undefined {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type === 'TemplateLiteral') {
    const parts = node.expressions.map((part) => evaluateText(code, part));
    if (parts.includes(undefined)) return undefined;
    return node.quasis.map(({ value }, at) => `${value.cooked ?? ''}${parts[at] ?? ''}`).join('');
  }
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [evaluateText(code, node.left), evaluateText(code, node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  const value = readConstant(code, code.scopes.find(node));
  return value === undefined ? undefined : evaluateText(code, value);
}

/** The number that an expression always has. */
export function evaluateNumber(code: CodeModule, node: Node): number | undefined {
  if (node.type === 'NumericLiteral') return node.value;
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const value = evaluateNumber(code, node.argument);
    return value === undefined ? undefined : -value;
  }
  if (node.type === 'BinaryExpression') {
    const [left, right] = [evaluateNumber(code, node.left), evaluateNumber(code, node.right)];
    if (left === undefined || right === undefined) return undefined;
    if (node.operator === '*') return left * right;
    if (node.operator === '/') return left / right;
    return node.operator === '+' ? left + right : undefined;
  }
  const value = readConstant(code, code.scopes.find(node));
  return value === undefined ? undefined : evaluateNumber(code, value);
}

/** Whether an expression always is a text, a finite number or a boolean. */
export function isPlainValue(code: CodeModule, node: Node): boolean {
  switch (node.type) {
    case 'StringLiteral':
    case 'TemplateLiteral':
    case 'BooleanLiteral':
    case 'NumericLiteral':
      return true;
    case 'ConditionalExpression':
      return isPlainValue(code, node.consequent) && isPlainValue(code, node.alternate);
    case 'CallExpression':
      // `String` of the language, and not a function of this name.
      return (
        node.callee.type === 'Identifier' &&
        node.callee.name === 'String' &&
        code.scopes.find(node.callee) === undefined
      );
    case 'Identifier': {
      const value = readConstant(code, code.scopes.find(node));
      return value !== undefined && isPlainValue(code, value);
    }
    default:
      return false;
  }
}
