import type { ChartSeries, Drawing, DrawingApi, OptionPart } from './option.ts';
import type { Theme } from './theme.ts';

/*
 * Lines across a drawing. The mark lines of ECharts are not used: it hides a line that begins outside of the zoomed part.
 */

/** A level line at `y`. With `stop` it ends at that place and goes down to the axis. */
export interface LevelMark {
  readonly y: number;
  readonly stop?: number;
}

/** An upright line at `x`, with a text above the drawing. */
export interface UprightMark {
  readonly x: number;
  readonly text: string;
  /** How far the text is from the middle of the line, and above the drawing, in pixels. */
  readonly offset: readonly [x: number, y: number];
}

export type Mark = LevelMark | UprightMark;

/** The area of the drawing in pixels. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Lines. The series has no name, so hiding a curve does not hide them. */
export function markSeries(
  marks: readonly Mark[],
  color: string,
  theme: Theme,
  { isSolid = false, ...axes }: OptionPart & { readonly isSolid?: boolean } = {},
): ChartSeries[] {
  if (marks.length === 0) return [];
  const line = { stroke: color, lineWidth: 1.5, ...(isSolid ? {} : { lineDash: [6, 4] }) };
  const shared = { type: 'custom' as const, silent: true, tooltip: { show: false }, ...axes };
  const data = marks.map((mark) => ('x' in mark ? [mark.x, 0] : [mark.stop ?? 0, mark.y]));
  const drawnBy = (
    drawing: (mark: Mark, place: [number, number], area: Area, api: DrawingApi) => Drawing[],
  ) => ({
    data,
    renderItem: (
      { dataIndex, coordSys }: { dataIndex: number; coordSys: Area },
      api: DrawingApi,
    ): Drawing => ({
      type: 'group',
      children: drawing(marks[dataIndex]!, [api.value(0), api.value(1)], coordSys, api),
    }),
  });
  const lines = drawnBy((mark, ...at) => ('x' in mark ? upright(mark, ...at) : level(mark, ...at)));
  // Texts hide the lines behind them.
  const texts = drawnBy((mark, ...at) => ('x' in mark ? [textOf(mark, ...at)] : []));
  return [
    { ...shared, z: 4, ...lines },
    ...(marks.some((mark) => 'x' in mark) ? [{ ...shared, z: 7, ...texts }] : []),
  ];

  function level(mark: LevelMark, place: [number, number], area: Area, api: DrawingApi): Drawing[] {
    const [stop, y] = api.coord(place);
    const end = mark.stop === undefined ? area.x + area.width : stop;
    const tick = lineOf([stop, y], [stop, area.y + area.height], { ...line, lineDash: [2, 3] });
    return [lineOf([area.x, y], [end, y], line), ...(mark.stop === undefined ? [] : [tick])];
  }

  function upright({ offset }: UprightMark, place: [number, number], area: Area, api: DrawingApi): Drawing[] {
    const [x] = api.coord(place);
    return [lineOf([x, area.y - offset[1] + 2], [x, area.y + area.height], line)];
  }

  function textOf(
    { text, offset }: UprightMark,
    place: [number, number],
    area: Area,
    api: DrawingApi,
  ): Drawing {
    const [x] = api.coord(place);
    const look = { fill: color, backgroundColor: theme.background, padding: [0, 3] };
    const style = { text, fontSize: 12, align: 'center', verticalAlign: 'bottom', ...look };
    return { type: 'text', x: x + offset[0], y: area.y - offset[1], style };
  }
}

function lineOf([x1, y1]: [number, number], [x2, y2]: [number, number], style: OptionPart): Drawing {
  return { type: 'line', shape: { x1, y1, x2, y2 }, style };
}
