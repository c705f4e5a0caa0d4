import { parseArgs } from 'node:util';

/**
 * An option of a tool: a flag, which says what it does; a number; or a text, which names its value in the help. A number
 * without a default is `undefined` when it is left out, and a text is empty.
 *
 * @typedef {{ flag: string }} Flag
 *
 * @typedef {{ help: string, least: number, most?: number, isWhole?: boolean, default?: number }} NumberOption
 *
 * @typedef {{ text: string, help: string, default?: string }} TextOption
 *
 * @typedef {Flag | NumberOption | TextOption} Option
 */

/**
 * @template {Record<string, Option>} Table
 * @typedef {{ [Name in keyof Table]: Table[Name] extends Flag ? boolean
 *   : Table[Name] extends TextOption ? string
 *   : Table[Name] extends { default: number } ? number : number | undefined }} Values
 */

/**
 * The options of this process. `--help` prints them and ends the process; a wrong one ends it with 2 and a sentence.
 *
 * @template {Record<string, Option>} const Table
 * @param {string} command What a reader types: `npm run soak --`.
 * @param {Table} table
 * @param {string} [operands] What else may be given, such as `[TARGET...]`. By default nothing.
 * @returns {Values<Table> & { operands: string[] }}
 */
export function readOptions(command, table, operands = '') {
  try {
    const types = Object.entries(table).map(
      ([name, option]) => /** @type {const} */ ([name, { type: 'flag' in option ? 'boolean' : 'string' }]),
    );
    /** @type {{ values: Record<string, string | boolean | undefined>, positionals: string[] }} */
    const { values, positionals } = parseArgs({
      allowPositionals: operands !== '',
      options: { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) {
      console.log(`${[command, operands, '[options]'].filter(Boolean).join(' ')}\n\n${describe(table)}`);
      process.exit();
    }
    const read = Object.entries(table).map(([name, option]) => [name, readValue(name, option, values[name])]);
    return Object.assign(Object.fromEntries(read), { operands: positionals });
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    process.exit(2);
  }
}

/**
 * Runs a tool. What it throws is a sentence for its reader, and the exit code 1.
 *
 * @param {() => Promise<unknown> | unknown} main
 */
export async function runTool(main) {
  try {
    await main();
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    process.exitCode = 1;
  }
}

/**
 * @param {string} name
 * @param {Option} option
 * @param {string | boolean | undefined} given
 */
function readValue(name, option, given) {
  if ('flag' in option) return given === true;
  if ('text' in option) return given ?? option.default ?? '';
  if (given === undefined) return option.default;
  const { least, most = Number.POSITIVE_INFINITY, isWhole = false } = option;
  const number = Number(given);
  if (given !== '' && number >= least && number <= most && (!isWhole || Number.isInteger(number)))
    return number;
  const range = most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new Error(`--${name} must be ${isWhole ? 'an integer' : 'a number'} ${range}, got '${given}'`);
}

/** @param {Record<string, Option>} table */
function describe(table) {
  const rows = Object.entries(table).map(([name, option]) => {
    if ('flag' in option) return [`--${name}`, option.flag];
    const { help, default: otherwise } = option;
    const value = 'text' in option ? option.text : 'N';
    return [`--${name} ${value}`, otherwise === undefined ? help : `${help} (${otherwise})`];
  });
  const width = Math.max(...rows.map(([usage = '']) => usage.length));
  return rows.map(([usage = '', help]) => `  ${usage.padEnd(width)}  ${help}\n`).join('');
}
