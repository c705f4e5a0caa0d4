import { escapeHtml } from '../chart/frame.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression exists to remove them.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Text within an element or an attribute of SVG or HTML, without the control characters that XML forbids. */
export function escapeXml(text: string): string {
  return escapeHtml(text.replace(FORBIDDEN, ''));
}
