/**
 * `npm run pictures:terminal`: types the commands of a first minute into a terminal, and draws what it shows as a moving picture,
 * `docs/pictures/first-minute.svg`. Needs `script`, which util-linux has.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, workspaceRoot } from './lib/workspace.js';

/**
 * @typedef {{ character: string, style: string }} Cell
 * @typedef {{ command: string, rows: Cell[][] }} Scene A command, and what it prints.
 */

/** The commands, each with the seconds that one reads its output. */
export const COMMANDS = /** @type {const} */ ([
  ['npx hdrscope check examples/data/after.hlog --slo p99.9=100ms', 4],
  ['npx hdrscope plot examples/data/before.hlog examples/data/after.hlog --slo p99.9=100ms --height 9', 7],
  [
    "npx hdrscope plot examples/data/incident.hlog --tag 'http.duration?route=/search&status=200' --kind over-time --percentiles 50,99 --height 10",
    7,
  ],
]);

const COLUMNS = 84;
const [CELL, LINE, MARGIN, BAR] = [8, 17, 16, 28];
const [BACKGROUND, FOREGROUND] = ['#15181d', '#e8eaed'];
/** Codes of colours, as most terminals show them. */
const COLOURS = new Map([
  ['31', '#ff8a80'],
  ['32', '#2cdea6'],
  ['33', '#ffb165'],
]);

/**
 * Runs a command in a terminal.
 *
 * @param {string} command For a shell, in the root of the project.
 */
export function recordCommand(command) {
  const { NO_COLOR: _, ...others } = process.env;
  // npx would turn a wheel while it starts, and other locales have no Braille patterns.
  const environment = {
    ...others,
    ...{ TERM: 'xterm-256color', COLORTERM: 'truecolor', LC_ALL: 'C.UTF-8', npm_config_progress: 'false' },
  };
  const output = execFileSync(
    'script',
    ['-qec', `stty cols ${COLUMNS} rows 50; ${command} || true`, '/dev/null'],
    {
      cwd: workspaceRoot,
      env: environment,
      encoding: 'utf8',
      timeout: 60_000,
    },
  );
  return { command, rows: readScreen(output) };
}

/**
 * The rows of cells that an output shows, without those at the end that are empty.
 *
 * @param {string} output With codes for colours (SGR of ECMA-48), and no others.
 */
export function readScreen(output) {
  /** @type {Cell[][]} */
  const rows = [[]];
  let style = '';
  for (const [part, codes] of output.matchAll(CODES_OR_CHARACTER)) {
    if (codes !== undefined) style = readStyle(codes);
    else if (part === ESCAPE)
      throw new Error('the output moves the cursor, and a picture of it would be wrong');
    else if (part === '\n') rows.push([]);
    else if (part !== '\r') rows.at(-1)?.push({ character: part, style });
  }
  while (rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

const ESCAPE = '\x1b';
const CODES_OR_CHARACTER = new RegExp(`${ESCAPE}\\[([\\d;]*)m|.`, 'gsu');

/**
 * The attributes of an element of SVG that look as the codes do.
 *
 * @param {string} codes
 */
function readStyle(codes) {
  const colour = /^38;2;(\d+);(\d+);(\d+)$/.exec(codes);
  if (colour !== null) return `fill="rgb(${colour.slice(1).join(',')})"`;
  if (codes === '1') return 'font-weight="bold"';
  if (codes === '2') return 'opacity="0.65"';
  const named = COLOURS.get(codes);
  if (named !== undefined) return `fill="${named}"`;
  if (['', '0', '22', '39'].includes(codes)) return '';
  throw new Error(`no picture has the code ${codes} of a terminal`);
}

/** @param {readonly Scene[]} scenes As many as there are commands. */
export function drawScenes(scenes) {
  const shown = scenes.map(({ command, rows }) => [...wrapCommand(command), ...rows]);
  const height = BAR + 2 * MARGIN + LINE * Math.max(...shown.map(({ length }) => length));
  const width = 2 * MARGIN + CELL * COLUMNS;
  const seconds = COMMANDS.map(([, reading]) => TYPING + reading);
  const total = seconds.reduce((sum, one) => sum + one);
  const label = `A terminal with ${scenes.map(({ command }) => command).join(', then ')}`;
  let from = 0;
  const parts = scenes.map(({ command, rows }, at) => {
    const typed = wrapCommand(command);
    const to = from + /** @type {number} */ (seconds[at]);
    const output = `${drawText(rows, typed.length)}${drawDots(rows, typed.length)}`;
    const scene = `<g class="scene" id="s${at}">${drawText(typed, 0)}<g id="o${at}">${output}</g></g>`;
    const rules = `${showBetween(`s${at}`, from, to, total)}${showBetween(`o${at}`, from + TYPING, to, total)}`;
    from = to;
    return { scene, rules };
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(label)}">
<style>
svg { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 13px; fill: ${FOREGROUND}; stroke-linecap: round; }
text { white-space: pre; }
.scene:not(:last-of-type) { opacity: 0; }
@media (prefers-reduced-motion: no-preference) {
${parts.map(({ rules }) => rules).join('')}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>
${['#ff5f57', '#febc2e', '#28c840'].map((fill, at) => `<circle cx="${MARGIN + 6 + at * 20}" cy="16" r="6" fill="${fill}"/>`).join('')}
${parts.map(({ scene }) => scene).join('\n')}
</svg>
`;
}

/** The seconds between a command and its output. */
const TYPING = 1.5;

/**
 * A rule of CSS that shows an element for a part of the time.
 *
 * @param {string} id
 * @param {number} from
 * @param {number} to
 * @param {number} total
 */
function showBetween(id, from, to, total) {
  const [begin, end] = [from, to].map((sec) => Number(((100 * sec) / total).toFixed(2)));
  const frames = `0%{opacity:${begin === 0 ? 1 : 0}}${begin}%{opacity:1}${end}%{opacity:${end === 100 ? 1 : 0}}`;
  return `@keyframes ${id}{${frames}}#${id}{animation:${id} ${total}s step-end infinite}\n`;
}

/**
 * The rows of a command behind a prompt, broken before options.
 *
 * @param {string} command
 * @returns {Cell[][]}
 */
function wrapCommand(command) {
  const lines = ['$'];
  for (const part of command.split(/ (?=-)/)) {
    const line = `${lines.at(-1)} ${part}`;
    if (line.length <= COLUMNS - 2) lines[lines.length - 1] = line;
    else {
      lines[lines.length - 1] += ' \\';
      lines.push(`    ${part}`);
    }
  }
  return lines.map((line) => [...line].map((character) => ({ character, style: 'font-weight="bold"' })));
}

/**
 * Each run of cells with one style is a text. A font may lack some characters, and another one has other widths, so all places are given.
 *
 * @param {Cell[][]} rows
 * @param {number} above The rows above them.
 */
function drawText(rows, above) {
  let text = '';
  for (const [row, cells] of rows.entries()) {
    for (let at = 0; at < cells.length; ) {
      const start = at;
      const style = /** @type {Cell} */ (cells[start]).style;
      while (at < cells.length && cells[at]?.style === style && !isBraille(cells[at])) at++;
      const run = cells.slice(start, at).map(({ character }) => character);
      if (run.join('').trim() !== '') {
        const isPlain = run.every((character) => character <= '~');
        const x = isPlain ? place(start) : run.map((_, index) => place(start + index)).join(' ');
        const length = isPlain ? ` textLength="${run.length * CELL}"` : '';
        text += `<text x="${x}" y="${baseline(above + row)}"${length}${style && ` ${style}`}>${escapeXml(run.join(''))}</text>`;
      }
      if (at === start) at++;
    }
  }
  return text;
}

/**
 * The dots of Braille patterns, which few fonts have.
 * Source: The Unicode Standard, section 21.1, Braille Patterns: U+2800 and a bit for each dot, down the left side and then the right side,
 * with the two lowest dots last.
 *
 * @param {Cell[][]} rows
 * @param {number} above
 */
function drawDots(rows, above) {
  /** @type {Map<string, string>} */
  const paths = new Map();
  for (const [row, cells] of rows.entries()) {
    for (const [column, cell] of cells.entries()) {
      if (!isBraille(cell)) continue;
      const bits = /** @type {number} */ (cell.character.codePointAt(0)) - 0x2800;
      let path = paths.get(cell.style) ?? '';
      for (const [bit, [x, y]] of DOTS.entries()) {
        if ((bits >> bit) & 1)
          path += `M${place(column) + 2 + x * 4} ${baseline(above + row) - 10 + y * 4}h0`;
      }
      paths.set(cell.style, path);
    }
  }
  return [...paths]
    .map(([style, path]) => {
      const colour = style.startsWith('fill=') ? style.replace('fill', 'stroke') : `stroke="${FOREGROUND}"`;
      return `<path ${colour} stroke-width="2" d="${path}"/>`;
    })
    .join('');
}

const DOTS = /** @type {const} */ ([
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [1, 1],
  [1, 2],
  [0, 3],
  [1, 3],
]);

/** @param {Cell | undefined} cell */
function isBraille(cell) {
  return cell !== undefined && cell.character >= '⠀' && cell.character <= '⣿';
}

/** @param {number} column */
function place(column) {
  return MARGIN + column * CELL;
}

/** @param {number} row */
function baseline(row) {
  return BAR + MARGIN + LINE * row + 12;
}

/** @param {string} text */
function escapeXml(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

if (isMain(import.meta)) {
  const scenes = COMMANDS.map(([command]) => recordCommand(command));
  writeFileSync(join(workspaceRoot, 'docs/pictures/first-minute.svg'), drawScenes(scenes));
}
