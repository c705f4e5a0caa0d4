/** Separates the words of a name in Prometheus. */
export const BETWEEN_WORDS: RegExp = /[^a-z0-9:]/i;

/** The suffixes of a unit that Prometheus adds to a name: those that are not among its words. */
export function addedUnitWords(name: string, unit: string): string[] {
  const words = name.split(BETWEEN_WORDS);
  const { main, per } = unitSuffixes(unit);
  return [main, per].filter((suffix) => suffix !== '' && !words.includes(suffix));
}

/**
 * The suffixes of a unit in Prometheus, before and after its slash: `bytes` and `per_second`. An annotation has no words.
 * Source: https://github.com/prometheus/otlptranslator/blob/main/unit_namer.go
 *
 * @param write Makes the word of a unit that has none.
 */
export function unitSuffixes(
  unit: string,
  write: (unit: string) => string = sanitizedUnit,
): { readonly main: string; readonly per: string } {
  const slash = unit.indexOf('/');
  const [before, after] = slash < 0 ? [unit, ''] : [unit.slice(0, slash), unit.slice(slash + 1)];
  const main = unitWord(before, UNITS, write);
  const per = unitWord(after, UNITS_PER, write);
  return per === '' ? { main, per } : { main: withoutLast(main), per: `per_${withoutLast(per)}` };
}

function unitWord(unit: string, words: ReadonlyMap<string, string>, write: (unit: string) => string): string {
  const own = unit.trim();
  return own.includes('{') || own.includes('}') ? '' : (words.get(own) ?? write(own));
}

function sanitizedUnit(unit: string): string {
  return unit.replace(/[^a-z0-9]+/gi, '_').replace(/^_/, '');
}

function withoutLast(word: string): string {
  return word.replace(/_$/, '');
}

// Both maps are those of Prometheus, with its spelling: another word would be another name.
const UNITS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ['d', 'days'],
  ['h', 'hours'],
  ['min', 'minutes'],
  ['s', 'seconds'],
  ['ms', 'milliseconds'],
  ['us', 'microseconds'],
  ['ns', 'nanoseconds'],
  ['By', 'bytes'],
  ['KiBy', 'kibibytes'],
  ['MiBy', 'mebibytes'],
  ['GiBy', 'gibibytes'],
  ['TiBy', 'tibibytes'],
  ['KBy', 'kilobytes'],
  ['MBy', 'megabytes'],
  ['GBy', 'gigabytes'],
  ['TBy', 'terabytes'],
  ['m', 'meters'],
  ['V', 'volts'],
  ['A', 'amperes'],
  ['J', 'joules'],
  ['W', 'watts'],
  ['g', 'grams'],
  ['Cel', 'celsius'],
  ['Hz', 'hertz'],
  ['%', 'percent'],
  ['1', ''],
]);

const UNITS_PER: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ['s', 'second'],
  ['m', 'minute'],
  ['h', 'hour'],
  ['d', 'day'],
  ['w', 'week'],
  ['mo', 'month'],
  ['y', 'year'],
]);

/**
 * The UCUM unit of Prometheus' words, as `unitSuffixes` writes them: `bytes_per_second` is `By/s`, and `ratio` is `1`. `undefined` for
 * words that are no unit of these.
 */
export function readUnitWords(words: string): string | undefined {
  const [before = '', after] = words.split('_per_');
  const main = before === 'ratio' ? '1' : UNIT_OF_WORD.get(before);
  if (main === undefined || after === undefined) return main;
  const per = UNIT_OF_LAST_WORD.get(after);
  return per === undefined ? undefined : `${main}/${per}`;
}

/** The UCUM unit with which a name in Prometheus ends: `s` for `http_request_duration_seconds`, and `''` where it ends with no unit. */
export function unitOfName(name: string): string {
  const [, words] = /_([a-z]+(?:_per_[a-z]+)?)$/.exec(name) ?? [];
  return (words === undefined ? undefined : readUnitWords(words)) ?? '';
}

const UNIT_OF_WORD: ReadonlyMap<string, string> = /* @__PURE__ */ swapped(UNITS);
const UNIT_OF_LAST_WORD: ReadonlyMap<string, string> = /* @__PURE__ */ swapped(UNITS_PER);

function swapped(words: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...words].filter(([, word]) => word !== '').map(([unit, word]) => [word, unit]));
}
