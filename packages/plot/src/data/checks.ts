import { mustBe } from '@hdrscope/core';

/** Throws unless there can be so many. */
export function assertSize(what: string, size: number, most: number): void {
  if (!Number.isInteger(size) || size < 2 || size > most) {
    throw mustBe('ERR_INVALID_OPTION', what, `an integer from 2 to ${most}`, size);
  }
}

/** Throws unless values can be divided by it. */
export function assertScale(valueScale: number): void {
  if (!(valueScale > 0 && Number.isFinite(valueScale))) {
    throw mustBe('ERR_INVALID_OPTION', 'valueScale', 'a finite number above 0', valueScale);
  }
}
