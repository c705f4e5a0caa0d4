import type { Node } from '#babel';
import type { CodeModule } from './module.ts';
import type { Binding } from './scopes.ts';

type Scoped = Pick<CodeModule, 'scopes' | 'parentOf'>;

/** The expression that gives a constant its value. */
export function readConstant({ parentOf }: Scoped, binding: Binding | undefined): Node | undefined {
  if (binding === undefined || !binding.isConstant) return undefined;
  const declarator = parentOf.get(binding.identifier);
  if (declarator?.type !== 'VariableDeclarator' || declarator.id !== binding.identifier) return undefined;
  return declarator.init ?? undefined;
}

/** The text that an expression always has; `undefined` when it is known only at run time. */
export function evaluateText(scoped: Scoped, node: Node): string | undefined {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type === 'TemplateLiteral') {
    const parts = node.expressions.map((part) => evaluateText(scoped, part));
    if (parts.includes(undefined)) return undefined;
    return node.quasis.map(({ value }, at) => `${value.cooked ?? ''}${parts[at] ?? ''}`).join('');
  }
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [evaluateText(scoped, node.left), evaluateText(scoped, node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  const value = readConstant(scoped, scoped.scopes.find(node));
  return value === undefined ? undefined : evaluateText(scoped, value);
}

/** The number that an expression always has. */
export function evaluateNumber(scoped: Scoped, node: Node): number | undefined {
  if (node.type === 'NumericLiteral') return node.value;
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const value = evaluateNumber(scoped, node.argument);
    return value === undefined ? undefined : -value;
  }
  if (node.type === 'BinaryExpression') {
    const [left, right] = [evaluateNumber(scoped, node.left), evaluateNumber(scoped, node.right)];
    if (left === undefined || right === undefined) return undefined;
    if (node.operator === '*') return left * right;
    if (node.operator === '/') return left / right;
    return node.operator === '+' ? left + right : undefined;
  }
  const value = readConstant(scoped, scoped.scopes.find(node));
  return value === undefined ? undefined : evaluateNumber(scoped, value);
}

/** Whether an expression always is a text, a finite number or a boolean. */
export function isPlainValue(scoped: Scoped, node: Node): boolean {
  switch (node.type) {
    case 'StringLiteral':
    case 'TemplateLiteral':
    case 'BooleanLiteral':
    case 'NumericLiteral':
      return true;
    case 'ConditionalExpression':
      return isPlainValue(scoped, node.consequent) && isPlainValue(scoped, node.alternate);
    case 'CallExpression':
      // `String` of the language, and not a function of this name.
      return (
        node.callee.type === 'Identifier' &&
        node.callee.name === 'String' &&
        scoped.scopes.find(node.callee) === undefined
      );
    case 'Identifier': {
      const value = readConstant(scoped, scoped.scopes.find(node));
      return value !== undefined && isPlainValue(scoped, value);
    }
    default:
      return false;
  }
}
