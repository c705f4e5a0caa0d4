/** The parser of JavaScript, TypeScript and JSX, and the types of its syntax tree. */
export { type ParserOptions, parse } from '@babel/parser';
export type {
  CallExpression,
  Comment,
  Expression,
  File,
  Function as FunctionNode,
  Identifier,
  NewExpression,
  Node,
  ObjectExpression,
  ObjectProperty,
  Statement,
  VariableDeclarator,
} from '@babel/types';
