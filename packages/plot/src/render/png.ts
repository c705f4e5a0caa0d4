import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, number, type OptionsOwner } from '@hdrscope/core/internal';
import { init } from '#echarts';
import type { WaterfallPlot } from '../chart/waterfall-chart.ts';
import type { Plot } from '../plot.ts';
import type { RenderOptions } from './options.ts';
import { makePicture } from './picture.ts';

/** How a plot is drawn in pixels. */
export interface PngOptions extends RenderOptions {
  /** The pixels of the picture for one pixel of `width` and `height`: from 0.5 to 4. @default 2 */
  readonly scale?: number;
}

/** The part of `@napi-rs/canvas` that this package uses. */
interface CanvasModule {
  createCanvas(width: number, height: number): { encode(format: 'png'): Promise<Uint8Array> };
}

/**
 * A plot as a PNG picture of `width * scale` by `height * scale` pixels. It needs the optional package `@napi-rs/canvas`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside its range, or `@napi-rs/canvas` is
 *   not installed.
 * @example
 * ```ts
 * import { renderPng } from '@hdrscope/plot/render';
 *
 * const png = await renderPng({ kind: 'bars', unit: 'none', slots: [{ lower: 0, upper: 1 }], counts: [3] });
 * [...png.subarray(1, 4)].map((byte) => String.fromCharCode(byte)).join(''); //=> 'PNG'
 * ```
 */
export async function renderPng(given: Plot | WaterfallPlot, options: PngOptions = {}): Promise<Uint8Array> {
  assertOptions(options, RENDER_PNG);
  const { width, height, option } = makePicture(given, options);
  const { scale = 2 } = options;
  const { createCanvas } = await loadCanvas();
  const canvas = createCanvas(Math.round(width * scale), Math.round(height * scale));
  const chart = init(canvas, null, { width, height, devicePixelRatio: scale });
  try {
    // ECharts would set the description as attributes, which this canvas does not have.
    chart.setOption({ ...option, aria: { enabled: false } });
    return await canvas.encode('png');
  } finally {
    chart.dispose();
  }
}

const RENDER_PNG: OptionsOwner<PngOptions> = {
  name: 'renderPng',
  names: { scale: number({ from: 0.5, to: 4 }), width: true, height: true, theme: true },
  call: 'renderPng(plot, { scale: 2 })',
};

/** @param load Loads the module; tests have one of their own. */
export async function loadCanvas(
  load: () => Promise<CanvasModule> = () => import('@napi-rs/canvas'),
): Promise<CanvasModule> {
  try {
    return await load();
  } catch (cause) {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      'PNG pictures need the package @napi-rs/canvas, which cannot be loaded: install it with "npm install @napi-rs/canvas", and --global where hdrscope is installed so',
      { cause },
    );
  }
}
