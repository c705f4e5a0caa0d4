import { visible } from '@hdrscope/core/internal';
import type { Plot } from './plot.ts';

// No picture has room for more.
const LONGEST_TEXT = 300;

/** A foreign text as it may be drawn: control characters are visible, and a text that is absurdly long ends with an ellipsis. */
export function visibleText(text: string): string {
  // Each character beyond the basic plane has two codes.
  if (text.length <= LONGEST_TEXT) return visible(text);
  const characters = [...visible(text.slice(0, 2 * LONGEST_TEXT))];
  if (characters.length < LONGEST_TEXT) return `${characters.join('')}…`;
  return `${characters.slice(0, LONGEST_TEXT - 1).join('')}…`;
}

/** A plot whose texts may be drawn: titles and all names. The values are those of the plot. */
export function visiblePlot<Kind extends Plot>(plot: Kind): Kind {
  return { ...plot, ...texts(plot, ['title', 'subtitle']), ...texts(plot as Named, NAMES), ...partsOf(plot) };
}

type Named = { readonly name?: string; readonly countName?: string };

const NAMES = ['name', 'countName'] as const;

/** The parts of a plot that have names. */
function partsOf(plot: Plot): object {
  switch (plot.kind) {
    case 'percentiles':
      return { curves: plot.curves.map(named), ...(plot.slos && { slos: plot.slos.map(named) }) };
    case 'comparison':
      return { before: named(plot.before), after: named(plot.after) };
    case 'over-time':
      return { lines: plot.lines.map(named), ...(plot.slos && { slos: plot.slos.map(named) }) };
    case 'heat-map':
      return { x: named(plot.x), y: named(plot.y) };
    case 'bars':
      return plot.slos === undefined ? {} : { slos: plot.slos.map(named) };
  }
}

function named<Part extends Named>(part: Part): Part {
  return { ...part, ...texts(part, ['name']) };
}

/** The texts of some fields, without fields that are left out. */
function texts<Part extends object>(part: Part, fields: readonly (keyof Part)[]): object {
  const shown: Partial<Record<keyof Part, string>> = {};
  for (const field of fields) {
    const text: unknown = part[field];
    if (typeof text === 'string') shown[field] = visibleText(text);
  }
  return shown;
}
