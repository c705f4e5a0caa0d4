import { readFileSync } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { reasonOf } from '@hdrscope/kit';
import { namesIn } from '../environment.ts';
import { PRESETS } from '../presets.ts';
import { compileView, type HdrView } from '../view.ts';

/** The views of `HDRSCOPE_VIEWS`, and what is wrong with the rest of it. */
export interface ReadViews {
  readonly views: readonly HdrView[];
  readonly problems: readonly HdrscopeError[];
}

/** Without `HDRSCOPE_VIEWS`, every histogram is selected. */
const EVERY_HISTOGRAM: readonly HdrView[] = [{ instrumentName: '*' }];

/**
 * Reads `HDRSCOPE_VIEWS`: views as JSON, the path of a `.json`, `.yaml` or `.yml` file, `none`, or patterns of names with options,
 * such as `http.*.duration;significantDigits=3, preset:gen_ai, db.*`. A view that is wrong is left out, and the others hold.
 *
 * @param parseYaml Called for a YAML file only.
 */
export function readViews(text: string | undefined, parseYaml: (text: string) => unknown): ReadViews {
  if (text === undefined) return { views: EVERY_HISTOGRAM, problems: [] };
  if (text.toLowerCase() === 'none') return { views: [], problems: [] };
  return checkedIfReadable(VARIABLE, () => givenViews(text, parseYaml));
}

const VARIABLE = 'HDRSCOPE_VIEWS';

/**
 * Reads `distribution.hdrscope.views` of a configuration file of OpenTelemetry: a list of views and presets. `distribution` is the place
 * that the schema has for settings which are not of OpenTelemetry.
 *
 * @returns `undefined` when the file has no such part, or cannot be read, which the SDK reports.
 */
// https://github.com/open-telemetry/opentelemetry-configuration/blob/main/schema-docs.md
export function readViewsOfConfigFile(
  path: string,
  parseYaml: (text: string) => unknown,
): ReadViews | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  // The package `yaml` may be out of reach, and is not needed for most files.
  if (!text.includes('hdrscope')) return undefined;
  const where = `distribution.hdrscope of ${path}`;
  let hasPart = true;
  const result = checkedIfReadable(where, () => {
    const file = parseYaml(text) as { readonly distribution?: { readonly hdrscope?: unknown } | null } | null;
    const part = file?.distribution?.hdrscope;
    hasPart = part !== undefined;
    return hasPart ? viewsInPart(part, where) : [];
  });
  return hasPart ? result : undefined;
}

function viewsInPart(part: unknown, where: string): readonly unknown[] {
  const { views, ...others } = Object(part) as { readonly views?: unknown };
  const [unknownKey] = Object.keys(others);
  if (Array.isArray(views) && unknownKey === undefined) {
    if (!JSON.stringify(views).includes('${')) return views;
    throw mustBe('ERR_INVALID_OPTION', where, 'without variables: hdrscope does not replace them', views);
  }
  throw mustBe('ERR_INVALID_OPTION', where, 'a mapping with views, a list, and nothing else', part);
}

/** Checks views, if they can be read. */
function checkedIfReadable(where: string, read: () => readonly unknown[]): ReadViews {
  try {
    return checked(read(), where);
  } catch (error) {
    if (error instanceof HdrscopeError) return { views: [], problems: [error] };
    const message = `${where} cannot be read: ${reasonOf(error)}`;
    return { views: [], problems: [new HdrscopeError('ERR_INVALID_OPTION', message, { cause: error })] };
  }
}

function givenViews(text: string, parseYaml: (text: string) => unknown): readonly unknown[] {
  if (/^[[{]/.test(text)) return listOf(JSON.parse(text));
  if (/^[^;,]+\.json$/i.test(text)) return listOf(JSON.parse(readFileSync(text, 'utf8')));
  if (/^[^;,]+\.ya?ml$/i.test(text)) return listOf(parseYaml(readFileSync(text, 'utf8')));
  return namesIn(text);
}

/** A list of views, an object with them as `views`, or one view. */
function listOf(value: unknown): readonly unknown[] {
  const views = (value as { readonly views?: unknown } | null)?.views ?? value;
  return Array.isArray(views) ? views : [views];
}

function checked(given: readonly unknown[], where: string): ReadViews {
  const views: HdrView[] = [];
  const problems: HdrscopeError[] = [];
  for (const [i, value] of given.entries()) {
    try {
      const preset = presetOf(value);
      if (preset !== undefined) {
        // Bounded: a preset has few views.
        views.push(...preset);
        continue;
      }
      const view = (typeof value === 'string' ? parseView(value) : value) as HdrView;
      compileView(view);
      if (view.attributesProcessors !== undefined) {
        const allowed = 'left out: a text has no functions. Use allowAttributes or denyAttributes';
        throw mustBe('ERR_INVALID_OPTION', 'attributesProcessors', allowed, view.attributesProcessors);
      }
      views.push(view);
    } catch (error) {
      const message = `view ${i + 1} of ${where} is left out: ${reasonOf(error)}`;
      problems.push(new HdrscopeError('ERR_INVALID_OPTION', message, { cause: error }));
    }
  }
  return { views, problems };
}

const PRESET = 'preset:';

/** The views of `preset:NAME`; `undefined` for anything else. */
function presetOf(value: unknown): readonly HdrView[] | undefined {
  if (typeof value !== 'string' || !value.startsWith(PRESET)) return undefined;
  const name = value.slice(PRESET.length).trim();
  const views = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (views !== undefined) return views;
  throw mustBe('ERR_INVALID_OPTION', 'preset', `one of ${Object.keys(PRESETS).join(', ')}`, name);
}

/** Options of numbers, of lists, and of lists of numbers. All others are texts. */
const NUMBERS: readonly string[] = [
  'significantDigits',
  'resolution',
  'aggregationCardinalityLimit',
  'expireAfterMs',
  'maxSize',
  'maxScale',
] satisfies (keyof HdrView)[];
const LISTS_OF_NUMBERS: readonly string[] = ['boundaries', 'thresholds'] satisfies (keyof HdrView)[];
const LISTS: readonly string[] = ['allowAttributes', 'denyAttributes'] satisfies (keyof HdrView)[];

/** Parses `NAME;option=value;option=value`. The items of a list are separated by `|`. */
function parseView(text: string): Record<string, unknown> {
  const [instrumentName, ...options] = text.split(';').map((part) => part.trim());
  const view: Record<string, unknown> = { instrumentName };
  for (const option of options.filter((part) => part !== '')) {
    const at = option.indexOf('=');
    const name = option.slice(0, at).trim();
    if (at < 1) throw mustBe('ERR_INVALID_OPTION', 'an option in HDRSCOPE_VIEWS', 'name=value', option);
    view[name] = parseValue(name, option.slice(at + 1).trim());
  }
  return view;
}

function parseValue(name: string, text: string): unknown {
  const items = text.split('|').map((item) => item.trim());
  if (NUMBERS.includes(name)) return numberOf(text);
  if (LISTS.includes(name)) return items;
  if (LISTS_OF_NUMBERS.includes(name)) return items.map(numberOf);
  if (name === 'tee') {
    if (text !== 'true' && text !== 'false') throw mustBe('ERR_INVALID_OPTION', 'tee', 'true or false', text);
    return text === 'true';
  }
  return text;
}

/** A text that is no number stays one, and the check of the view names it. */
function numberOf(text: string): unknown {
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
