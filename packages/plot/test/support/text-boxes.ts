import { createCanvas } from '@napi-rs/canvas';
import { init } from '#echarts';
import { captioned } from '../../src/caption.ts';
import { chartOption } from '../../src/chart/chart-option.ts';
import type { ThemeName } from '../../src/chart/theme.ts';
import type { Plot } from '../../src/plot.ts';
import { defaultHeightOf } from '../../src/render/options.ts';

/** A text of a picture, and the pixels that it covers. */
export interface TextBox {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The part of a canvas's context that draws texts. */
interface Context {
  fillText(text: string, x: number, y: number): void;
  measureText(text: string): Record<`actualBoundingBox${'Left' | 'Right' | 'Ascent' | 'Descent'}`, number>;
  getTransform(): { a: number; b: number; c: number; d: number; e: number; f: number };
}

/**
 * Draws a plot as `renderPng` does, and notes every text as the canvas draws it: its ink, measured with the font that draws it, at the
 * place where the canvas draws it.
 */
export function textBoxesOf(
  plot: Plot,
  width: number,
  theme: ThemeName,
  height = defaultHeightOf(plot.kind),
): TextBox[] {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d') as unknown as Context;
  const boxes: TextBox[] = [];
  const draw = context.fillText.bind(context);
  context.fillText = (text, x, y) => {
    const ink = context.measureText(text);
    const { a, b, c, d, e, f } = context.getTransform();
    const at = (px: number, py: number) => [a * px + c * py + e, b * px + d * py + f] as const;
    const corners = [x - ink.actualBoundingBoxLeft, x + ink.actualBoundingBoxRight].flatMap((px) =>
      [y - ink.actualBoundingBoxAscent, y + ink.actualBoundingBoxDescent].map((py) => at(px, py)),
    );
    const [xs, ys] = [corners.map(([px]) => px), corners.map(([, py]) => py)];
    const box = {
      left: Math.min(...xs),
      right: Math.max(...xs),
      top: Math.min(...ys),
      bottom: Math.max(...ys),
    };
    if (text.trim() !== '') boxes.push({ text, ...box });
    draw(text, x, y);
  };
  const chart = init(canvas, null, { width, height, devicePixelRatio: 1 });
  try {
    chart.setOption({ ...chartOption(captioned(plot), theme, width), aria: { enabled: false } });
  } finally {
    chart.dispose();
  }
  return boxes;
}

/** What is wrong with the texts of a picture: texts that leave it, and pairs that overlap. */
export function flawsOf(boxes: readonly TextBox[], width: number, height: number): string[] {
  // A pixel of blur is no overlap.
  const flaws = boxes
    .filter(
      ({ left, right, top, bottom }) =>
        left < -0.5 || top < -0.5 || right > width + 0.5 || bottom > height + 0.5,
    )
    .map(
      ({ text, left, right }) =>
        `'${text}' leaves the picture: ${left.toFixed()} to ${right.toFixed()} of ${width}`,
    );
  for (const [i, one] of boxes.entries()) {
    for (const other of boxes.slice(i + 1)) {
      const x = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const y = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (x > 0.5 && y > 0.5)
        flaws.push(`'${one.text}' overlaps '${other.text}' by ${x.toFixed(1)} x ${y.toFixed(1)}`);
    }
  }
  return flaws;
}
