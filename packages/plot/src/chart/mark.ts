import type { ChartSeries, Drawing, DrawingApi, OptionPart } from './option.ts';
import type { Theme } from './theme.ts';

/*
 * Lines across a drawing. The mark lines of ECharts are not used: it hides a line that begins outside of the zoomed part.
 */

/** A level line at `y`. With `stop` it ends at that place and goes down to the axis. */
export interface LevelMark {
  readonly y: number;
  readonly stop?: number;
  readonly text?: string;
}

/** An upright line at `x`. */
export interface UprightMark {
  readonly x: number;
  readonly text?: string;
}

export type Mark = LevelMark | UprightMark;

/** The area of the drawing in pixels. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Lines with their texts. The series has no name, so no legend entry hides it. */
export function markSeries(
  marks: readonly Mark[],
  color: string,
  theme: Theme,
  { isSolid = false, ...axes }: OptionPart & { readonly isSolid?: boolean } = {},
): ChartSeries[] {
  if (marks.length === 0) return [];
  const line = { stroke: color, lineWidth: 1.5, ...(isSolid ? {} : { lineDash: [6, 4] }) };
  return [
    {
      type: 'custom',
      silent: true,
      clip: true,
      z: 4,
      tooltip: { show: false },
      ...axes,
      data: marks.map((mark) => ('x' in mark ? [mark.x, 0] : [mark.stop ?? 0, mark.y])),
      renderItem: (
        { dataIndex, coordSys }: { dataIndex: number; coordSys: Area },
        api: DrawingApi,
      ): Drawing => {
        const mark = marks[dataIndex]!;
        const place: [number, number] = [api.value(0), api.value(1)];
        return {
          type: 'group',
          children: 'x' in mark ? upright(mark, place, coordSys, api) : level(mark, place, coordSys, api),
        };
      },
    },
  ];

  function level(mark: LevelMark, place: [number, number], area: Area, api: DrawingApi): Drawing[] {
    const [stop, y] = api.coord(place);
    const end = mark.stop === undefined ? area.x + area.width : stop;
    const tick = lineOf([stop, y], [stop, area.y + area.height], { ...line, lineDash: [2, 3] });
    return [
      lineOf([area.x, y], [end, y], line),
      ...(mark.stop === undefined ? [] : [tick]),
      ...textAt(mark.text, area.x + 6, y - 12, 'left'),
    ];
  }

  function upright(mark: UprightMark, place: [number, number], area: Area, api: DrawingApi): Drawing[] {
    const [x] = api.coord(place);
    const isLeft = x < area.x + area.width / 2;
    return [
      lineOf([x, area.y], [x, area.y + area.height], line),
      ...textAt(mark.text, isLeft ? x + 5 : x - 5, area.y + 10, isLeft ? 'left' : 'right'),
    ];
  }

  function textAt(text: string | undefined, x: number, y: number, align: string): Drawing[] {
    if (text === undefined) return [];
    const style = { text, fill: color, fontSize: 12, align, verticalAlign: 'middle' };
    return [{ type: 'text', x, y, style: { ...style, backgroundColor: theme.background, padding: [1, 3] } }];
  }
}

function lineOf([x1, y1]: [number, number], [x2, y2]: [number, number], style: OptionPart): Drawing {
  return { type: 'line', shape: { x1, y1, x2, y2 }, style };
}
