import type { GridPlace, Setting } from './frame.ts';
import type { ChartSeries, Drawing, DrawingApi, OptionPart } from './option.ts';
import { distinctCuts, textWidth, wrappedText } from './text-width.ts';
import type { Theme } from './theme.ts';

/*
 * The names of lines, at their ends in the margin at the right. A name stands as near to the end of its line as other names let it,
 * and a thin line leads to it. Names that are too long take several lines or lose their middle.
 */

/** The name of a line. */
export interface LineLabel {
  readonly name: string;
  readonly stroke: { readonly color: string; readonly type: string; readonly width: number };
  /** The line's corners, ascending by place. `null` is a gap. */
  readonly corners: readonly (readonly [place: number, value: number | null])[];
  /** The series that the name belongs to, so that hiding it hides the name. @default no series: an objective */
  readonly series?: string;
}

const SAMPLE = 16;
const GAP = 6;
/** Between the drawing and the samples, for the lines that lead there. */
const LEAD = 14;
const LINE_HEIGHT = 15;
const MOST_LINES = 3;
const NARROWEST = 44;

/** The room that names take at the right of a drawing; `undefined` without names, where the usual margin is enough. */
export function labelRoom(labels: readonly LineLabel[], { width }: Setting): number | undefined {
  if (labels.length === 0) return undefined;
  const widest = labels.reduce((most, { name }) => Math.max(most, textWidth(name)), NARROWEST);
  const most = Math.max(NARROWEST + LEAD + SAMPLE, width * (width < 600 ? 0.34 : 0.28));
  return Math.ceil(Math.min(LEAD + SAMPLE + GAP + widest + 8, most));
}

/** A drawing's area in pixels. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Placed {
  readonly lines: readonly string[];
  /** The end of the line, in pixels; `undefined` for a line without values. */
  readonly end: readonly [x: number, y: number] | undefined;
  /** Where the middle of the name would be without other names. */
  readonly wish: number;
  /** The middle of the name. */
  y: number;
  readonly height: number;
}

/** No picture has room for more names: its height is limited. */
const MOST_NAMES = 600;

/** A series for each name that may have room. */
export function labelSeries(
  all: readonly LineLabel[],
  clamp: (value: number) => number,
  { right }: GridPlace,
  theme: Theme,
  axes: OptionPart = {},
): ChartSeries[] {
  const room = right - LEAD - SAMPLE - GAP - 6;
  const labels = all.slice(0, MOST_NAMES);
  // All series of a drawing share one layout.
  let known: { readonly key: string; readonly layout: ReturnType<typeof layOut> } | undefined;
  const layoutIn = (area: Area, api: DrawingApi): ReturnType<typeof layOut> => {
    const { x, y, width, height } = area;
    // The places of two points show whether the zoom has changed.
    const points = [api.coord([0, clamp(0)]), api.coord(anchorOf(labels[0]!.corners, clamp))];
    const key = String([x, y, width, height, points]);
    if (known?.key !== key) known = { key, layout: layOut(labels, all.length, clamp, room, area, api) };
    return known.layout;
  };
  return labels.map(
    ({ series, stroke, corners }, at): ChartSeries => ({
      type: 'custom',
      ...(series !== undefined && { name: series }),
      ...axes,
      silent: true,
      clip: false,
      z: 6,
      tooltip: { show: false },
      data: [anchorOf(corners, clamp)],
      encode: { x: 0, y: 1 },
      renderItem: ({ coordSys }: { coordSys: Area }, api: DrawingApi): Drawing | undefined => {
        const { placed, shown } = layoutIn(coordSys, api);
        const leftOut = all.length - shown;
        const one = placed[at];
        const isLast = at === labels.length - 1;
        const children = one === undefined ? [] : drawn(one, stroke, coordSys, theme);
        if (isLast && leftOut > 0) {
          const y = coordSys.y + coordSys.height - LINE_HEIGHT / 2;
          children.push(
            textAt([`and ${leftOut} more`], coordSys.x + coordSys.width + LEAD, y, theme.mutedText),
          );
        }
        return { type: 'group', children };
      },
    }),
  );
}

function anchorOf(corners: LineLabel['corners'], clamp: (value: number) => number): [number, number] {
  const [place, value] = corners.findLast(([, one]) => one !== null) ?? [0, 0];
  return [place, clamp(value ?? 0)];
}

/** Where all names stand; `undefined` for those that have no room. */
function layOut(
  labels: readonly LineLabel[],
  total: number,
  clamp: (value: number) => number,
  room: number,
  area: Area,
  api: DrawingApi,
): { placed: (Placed | undefined)[]; shown: number } {
  const most = Math.max(1, Math.floor(area.height / LINE_HEIGHT));
  const shown = total <= most ? labels.length : Math.min(labels.length, most - 1);
  const lines = linesFor(labels.slice(0, shown), room, area.height);
  const placed = labels.map((label, at): Placed | undefined => {
    if (at >= shown) return undefined;
    const end = endOf(label, clamp, area, api);
    const height = lines[at]!.length * LINE_HEIGHT;
    const wish = end?.[1] ?? area.y + area.height;
    return { lines: lines[at]!, end, wish, y: wish, height };
  });
  const bottom = area.y + area.height - (shown < total ? LINE_HEIGHT : 0);
  spread(
    placed.filter((one) => one !== undefined),
    area.y - LINE_HEIGHT / 2,
    bottom + LINE_HEIGHT / 2,
  );
  return { placed, shown };
}

/** The lines of each name: as many as all names have room for. */
function linesFor(labels: readonly LineLabel[], room: number, height: number): string[][] {
  for (let most = MOST_LINES; most > 1; most--) {
    const lines = labels.map(({ name }) => wrappedText(name, room, most));
    if (lines.reduce((sum, { length }) => sum + length, 0) * LINE_HEIGHT <= height) return lines;
  }
  return distinctCuts(
    labels.map(({ name }) => name),
    room,
  ).map((name) => [name]);
}

/** Moves names apart, in the order of the ends of their lines, between two heights. */
function spread(placed: Placed[], top: number, bottom: number): void {
  const ordered = [...placed].sort((a, b) => a.wish - b.wish);
  // Neighbours that touch become a block, which stands around the mean of their wishes.
  const blocks: { members: Placed[]; from: number; height: number }[] = [];
  for (const one of ordered) {
    let block = { members: [one], from: one.wish - one.height / 2, height: one.height };
    for (
      let before = blocks.at(-1);
      before !== undefined && before.from + before.height > block.from;
      before = blocks.at(-1)
    ) {
      blocks.pop();
      const members: Placed[] = [...before.members, ...block.members];
      const height = before.height + block.height;
      let offset = 0;
      const wishes = members.map((member) => {
        const wish = member.wish - member.height / 2 - offset;
        offset += member.height;
        return wish;
      });
      const from = wishes.reduce((sum, wish) => sum + wish, 0) / wishes.length;
      block = { members, from: within(from, height), height };
    }
    block.from = within(block.from, block.height);
    blocks.push(block);
  }
  // The limits may have moved a block onto its neighbour.
  let limit = bottom;
  for (const block of blocks.toReversed()) {
    block.from = Math.min(block.from, limit - block.height);
    limit = block.from;
  }
  limit = top;
  for (const block of blocks) {
    block.from = Math.max(block.from, limit);
    limit = block.from + block.height;
    let y = block.from;
    for (const member of block.members) {
      member.y = y + member.height / 2;
      y += member.height;
    }
  }

  function within(from: number, height: number): number {
    return Math.max(top, Math.min(from, bottom - height));
  }
}

/** The end of the part of a line that is visible, in pixels; `undefined` without values. */
function endOf(
  { corners }: LineLabel,
  clamp: (value: number) => number,
  area: Area,
  api: DrawingApi,
): [number, number] | undefined {
  const edge = area.x + area.width;
  let after: [number, number] | undefined;
  for (let i = corners.length - 1; i >= 0; i--) {
    const [place, value] = corners[i]!;
    if (value === null) continue;
    const corner = api.coord([place, clamp(value)]);
    if (corner[0] <= edge + 0.5) {
      if (after === undefined) return corner;
      const part = (edge - corner[0]) / (after[0] - corner[0]);
      return [edge, corner[1] + (after[1] - corner[1]) * part];
    }
    after = corner;
  }
  return after && [edge, after[1]];
}

function drawn(
  { lines, end, y }: Placed,
  { color, type }: LineLabel['stroke'],
  area: Area,
  theme: Theme,
): Drawing[] {
  const edge = area.x + area.width;
  const left = edge + LEAD;
  const lead = { stroke: color, lineWidth: 1, opacity: 0.55, lineDash: [2, 2], fill: 'none' };
  const dash = type === 'dashed' ? [5, 3] : type === 'dotted' ? [2, 2] : null;
  const leading: Drawing[] = [];
  if (end !== undefined) {
    const [x, endY] = [Math.max(area.x, end[0]), end[1]];
    const points = [
      [x, endY],
      [edge, endY],
      [left - 2, y],
    ];
    leading.push({ type: 'polyline', shape: { points }, style: lead });
  }
  return [
    ...leading,
    {
      type: 'line',
      shape: { x1: left, y1: y, x2: left + SAMPLE, y2: y },
      style: { stroke: color, lineWidth: 2.5, ...(dash && { lineDash: dash }) },
    },
    textAt(lines, left + SAMPLE + GAP, y, theme.text),
  ];
}

function textAt(lines: readonly string[], x: number, y: number, fill: string): Drawing {
  const style = {
    text: lines.join('\n'),
    fill,
    fontSize: 12,
    lineHeight: LINE_HEIGHT,
    align: 'left',
    verticalAlign: 'middle',
  };
  return { type: 'text', x, y, style };
}
