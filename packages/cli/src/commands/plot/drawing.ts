import { type Plot, plotToJson, type TerminalOptions } from '@hdrscope/plot';
import { type Io, UsageError } from '../../command.ts';
import { jsonDocument } from '../../figures.ts';
import { findFormats, type OutputOptions, writeWhole } from '../../output-options.ts';
import { hasColours, screenOf } from '../../screen/screen.ts';
import { terminalPlot } from '../../screen/terminal-plot.ts';

const NARROWEST = 40;
const WIDEST = 1000;

export const FORMATS = ['text', 'svg', 'png', 'html', 'json'] as const;
export type Format = (typeof FORMATS)[number];

export interface DrawingOptions extends Pick<OutputOptions, 'output' | 'format'> {
  readonly title?: string;
  /** In pixels; in characters for text. */
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly ascii?: boolean;
}

/** @throws UsageError when the destination does not take the format, or says nothing about it. */
export function assertDrawable(format: Format, options: DrawingOptions): void {
  const { output, format: asked } = options;
  const isFile = output !== undefined && output !== '-';
  if (isFile && format === 'text' && asked === undefined && findFormats(output) === undefined) {
    throw new UsageError(
      `${output} does not say which format to write: end it with .svg, .png, .html, .json or .txt, or use --format`,
    );
  }
  assertPicture(format, output);
  assertLength('width', format, options.width);
  assertLength('height', format, options.height);
  if (options.theme !== undefined && format !== 'svg' && format !== 'png') {
    throw new UsageError(`--theme goes with svg and png, and the format is ${format}`);
  }
}

/** The lengths that a format takes: pixels of a picture, characters of a text. Readers of a page choose its height. */
const LENGTHS: Readonly<
  Record<Format, Partial<Record<'width' | 'height', readonly [least: number, most: number]>>>
> = {
  text: { width: [NARROWEST, WIDEST], height: [4, 200] },
  svg: { width: [200, 8192], height: [150, 8192] },
  png: { width: [200, 8192], height: [150, 8192] },
  html: { width: [200, 8192] },
  json: { width: [1, 8192] },
};

/** @throws UsageError when the format does not take the length. */
function assertLength(name: 'width' | 'height', format: Format, length: number | undefined): void {
  if (length === undefined) return;
  const range = LENGTHS[format][name];
  if (range === undefined) {
    throw new UsageError(`--${name} goes with text, svg and png, and the format is ${format}`);
  }
  const [least, most] = range;
  if (length < least || length > most) {
    throw new UsageError(
      `--${name} must be an integer from ${least} to ${most} for ${format}, got ${length}`,
    );
  }
}

/** @throws UsageError when a picture that is not text has no file. */
export function assertPicture(format: string, output: string | undefined): void {
  if (format === 'png' && (output === undefined || output === '-')) {
    throw new UsageError('a PNG picture needs a file: -o FILE.png');
  }
}

/** How many columns a picture has that curves are read off at: its pixels, or the dots of a text. */
export function columnsOf(format: Format, options: DrawingOptions, io: Io): number {
  const { width = DEFAULT_WIDTH } = options;
  switch (format) {
    case 'text':
      return 2 * (terminalOptions(options, io).columns ?? DEFAULT_COLUMNS);
    case 'png':
      return Math.min(MOST_COLUMNS, PNG_SCALE * width);
    // Readers of a page zoom in.
    case 'html':
      return Math.min(MOST_COLUMNS, 4 * width);
    case 'svg':
    case 'json':
      return Math.min(MOST_COLUMNS, Math.max(2, width));
  }
}

const DEFAULT_WIDTH = 920;
const DEFAULT_COLUMNS = 80;
const PNG_SCALE = 2;
const MOST_COLUMNS = 20_000;

/**
 * Draws plots and writes all of them or nothing.
 *
 * @param verdicts Lines below a text.
 * @throws UsageError, Refusal, HdrscopeError
 */
export async function writePlots(
  plots: readonly [Plot, ...Plot[]],
  format: Format,
  options: DrawingOptions,
  verdicts: readonly string[],
  io: Io,
): Promise<void> {
  const picture = await draw(plots, format, options, io);
  const isText = format === 'text' && verdicts.length > 0;
  const drawn = isText ? `${picture}\n${verdicts.map((line) => `${line}\n`).join('')}` : picture;
  const { output } = options;
  if (output !== undefined && output !== '-') await writeWhole([drawn], output, io.signal);
  else if (typeof drawn === 'string') await io.stdout.write(drawn);
}

async function draw(
  plots: readonly [Plot, ...Plot[]],
  format: Format,
  options: DrawingOptions,
  io: Io,
): Promise<string | Uint8Array> {
  if (format === 'text') {
    const drawing = terminalOptions(options, io);
    return plots.map((plot) => terminalPlot(plot, drawing)).join('\n');
  }
  if (format === 'json') {
    const documents = plots.map((plot) => JSON.parse(plotToJson(plot)) as object);
    return jsonDocument(documents.length === 1 ? documents[0]! : documents);
  }
  const { title, width, height, theme } = options;
  const render = await import('@hdrscope/plot/render');
  if (format === 'html') return render.renderHtml(plots, title === undefined ? {} : { title });
  if (plots.length > 1) {
    throw new UsageError(`one picture cannot hold ${plots.length} plots: --format html and text can`);
  }
  const drawing = {
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(theme !== undefined && { theme }),
  };
  return format === 'svg' ? render.renderSvg(plots[0], drawing) : render.renderPng(plots[0], drawing);
}

/** How text is drawn. The width is that of the terminal, within limits, unless the options state one. */
function terminalOptions({ output, width, height, ascii }: DrawingOptions, io: Io): TerminalOptions {
  const isShown = output === undefined || output === '-';
  const screen = isShown ? screenOf(io, ascii === undefined ? {} : { ascii }) : undefined;
  const { columns } = screen ?? {};
  return {
    ...(columns !== undefined && { columns: Math.min(WIDEST, Math.max(NARROWEST, columns)) }),
    ...(width !== undefined && { columns: width }),
    ...(height !== undefined && { rows: height }),
    colours: isShown && hasColours(io, io.stdout),
    ascii: screen?.ascii ?? ascii ?? false,
  };
}
