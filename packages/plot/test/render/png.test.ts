import { HdrscopeError } from '@hdrscope/core';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { loadCanvas, renderPng } from '../../src/render/png.ts';
import { allPlots, bars } from '../support/plots.ts';

async function coloursOf(
  png: Uint8Array,
): Promise<{ width: number; height: number; colours: Map<number, number> }> {
  const image = await loadImage(png);
  const { width, height } = image;
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const colours = new Map<number, number>();
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  for (const pixel of pixels) colours.set(pixel, (colours.get(pixel) ?? 0) + 1);
  return { width, height, colours };
}

test.each(allPlots.map((plot) => [plot.kind, plot] as const))(
  'the PNG of %s has the size that is asked for',
  async (_, plot) => {
    const png = await renderPng(plot, { width: 600, height: 400, scale: 1.5 });
    expect([...png.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const { width, height, colours } = await coloursOf(png);
    expect([width, height]).toEqual([900, 600]);
    expect(colours.size).toBeGreaterThan(10);
    expect(Math.max(...colours.values())).toBeLessThan(0.99 * width * height);
  },
);

test('a dark PNG is dark', async () => {
  const { colours } = await coloursOf(await renderPng(bars, { theme: 'dark', scale: 1 }));
  const [[most]] = [...colours].sort(([, a], [, b]) => b - a) as [[number, number]];
  // The background, as alpha, blue, green and red.
  expect(most.toString(16)).toBe('ff1d1815');
});

test('a scale out of range is refused', async () => {
  const refusal = renderPng(bars, { scale: 5 });
  await expect(refusal).rejects.toThrow('scale must be a finite number from 0.5 to 4, got 5');
});

test('the error for a missing canvas says what to install', async () => {
  const refusal = loadCanvas(() => Promise.reject(new Error('Cannot find package')));
  await expect(refusal).rejects.toThrow(HdrscopeError);
  await expect(refusal).rejects.toThrow('npm install @napi-rs/canvas');
});
