/*
 * How colours look to people who see few of them: matrices of linear RGB for eyes that lack one kind of cones.
 * Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009, table 1.
 */
export const VISIONS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Red, green and blue as amounts of light, from 0 to 1: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function lightOf(colour: string): number[] {
  return [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
}

function luminanceOf([red, green, blue]: number[]): number {
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** From 1 to 21: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrastOf(one: string, other: string): number {
  const [darker, lighter] = [one, other].map((colour) => luminanceOf(lightOf(colour))).sort((a, b) => a - b);
  return (lighter! + 0.05) / (darker! + 0.05);
}

/** How far apart two colours look: their distance in CIELAB. About 2 is just visible. */
export function distanceOf(one: string, other: string, vision: readonly (readonly number[])[]): number {
  const [a, b] = [labOf(one, vision), labOf(other, vision)];
  return Math.hypot(...a.map((value, i) => value - b[i]!));
}

function labOf(colour: string, vision: readonly (readonly number[])[]): number[] {
  const light = lightOf(colour);
  const [r, g, b] = vision.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, v, i) => sum + v * light[i]!, 0),
      ),
    ),
  );
  const x = (0.4124 * r! + 0.3576 * g! + 0.1805 * b!) / 0.9505;
  const z = (0.0193 * r! + 0.1192 * g! + 0.9505 * b!) / 1.089;
  const [fx, fy, fz] = [x, luminanceOf([r!, g!, b!]), z].map((t) =>
    t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116,
  );
  return [116 * fy! - 16, 500 * (fx! - fy!), 200 * (fy! - fz!)];
}
