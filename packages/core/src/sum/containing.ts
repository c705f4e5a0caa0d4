import type { HdrLayout, HdrLayoutOptions } from '../layout/hdr.ts';

/** The finest HDR layout whose slots contain those of all others, up to the highest of their ranges. Without others, that of 5 digits. */
export function containingLayout(layouts: readonly HdrLayout[]): Required<HdrLayoutOptions> {
  let [lowest, highest, digits] = [1n, 2n, 5];
  for (const { lowestDiscernibleBigInt, highestTrackableBigInt, significantDigits } of layouts) {
    if (lowestDiscernibleBigInt > lowest) lowest = lowestDiscernibleBigInt;
    if (highestTrackableBigInt > highest) highest = highestTrackableBigInt;
    if (significantDigits < digits) digits = significantDigits;
  }
  return { lowestDiscernibleValue: lowest, highestTrackableValue: highest, significantDigits: digits };
}
