import { withoutLastZeros } from '../format.ts';

/** A share as a percentage. It is 100 % only when nothing is missing, and 0 % only when nothing is there: `99.95 %`. */
export function shareText(share: number): string {
  const rest = Math.min(share, 1 - share);
  if (rest <= 0) return share <= 0 ? '0 %' : '100 %';
  // Three digits of the smaller part.
  const decimals = Math.min(Math.max(2 - Math.floor(Math.log10(rest * 100)), 0), 15);
  const text = (share * 100).toFixed(decimals);
  return `${text.includes('.') ? withoutLastZeros(text) : text} %`;
}
