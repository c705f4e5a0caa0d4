/** Parses PromQL. */
export type { SyntaxNode } from '@lezer/common';
export { parser } from '@prometheus-io/lezer-promql';
