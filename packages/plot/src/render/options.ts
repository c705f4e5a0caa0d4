import { mustBe } from '@hdrscope/core/internal';
import type { ThemeName } from '../chart/theme.ts';
import { assertInteger } from '../data/checks.ts';

/** How a plot is drawn. */
export interface RenderOptions {
  /** In pixels: an integer from 200 to 8192. @default 920 */
  readonly width?: number;
  /** In pixels: an integer from 150 to 8192. @default 480, or 640 for a comparison */
  readonly height?: number;
  /** The background that the picture is for. @default 'light' */
  readonly theme?: ThemeName;
}

/** Options that are checked and complete. */
export interface CheckedOptions {
  readonly width: number;
  readonly height: number;
  readonly theme: ThemeName;
}

const LARGEST = 8192;

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function checkOptions(
  { width = 920, height, theme = 'light' }: RenderOptions,
  kind: string,
): CheckedOptions {
  const checkedHeight = height === undefined ? defaultHeightOf(kind) : height;
  assertInteger('width', width, 200, LARGEST);
  assertInteger('height', checkedHeight, 150, LARGEST);
  if (theme !== 'light' && theme !== 'dark') {
    throw mustBe('ERR_INVALID_OPTION', 'theme', "'light' or 'dark'", theme);
  }
  return { width, height: checkedHeight, theme };
}

/** The height in pixels; a comparison has two drawings. */
export function defaultHeightOf(kind: string): number {
  return kind === 'comparison' ? 640 : 480;
}
