/**
 * The parts of a 64-bit little-endian ELF file that distinguish one kernel program from another.
 *
 * @typedef {object} ElfOutline
 * @property {string[]} sections The names of the sections that are loaded, sorted.
 * @property {string[]} symbols The names of the functions and objects in them, sorted.
 */

const SYMBOL_TABLE = 2;
const PROGRAM_BITS = 1;
const FUNCTION_OR_OBJECT = new Set([1, 2]);

/**
 * @param {Buffer} file
 * @returns {ElfOutline}
 */
export function outlineOf(file) {
  if (file.readUInt32BE(0) !== 0x7f454c46) throw new Error('it is not an ELF file');
  const start = Number(file.readBigUInt64LE(40));
  const size = file.readUInt16LE(58);
  const headers = Array.from({ length: file.readUInt16LE(60) }, (_, i) => headerAt(file, start + i * size));
  const names = headers[file.readUInt16LE(62)];
  const symbols = headers.find(({ type }) => type === SYMBOL_TABLE);
  if (names === undefined || symbols === undefined) throw new Error('it has no table of names');
  const strings = headers[symbols.link] ?? names;
  return {
    sections: headers
      .filter(({ type, length }) => type === PROGRAM_BITS && length > 0)
      .map(({ name }) => textAt(file, names.offset + name))
      .sort(),
    symbols: Array.from({ length: symbols.length / 24 }, (_, i) => symbols.offset + i * 24)
      .filter((at) => FUNCTION_OR_OBJECT.has(file.readUInt8(at + 4) & 15))
      .map((at) => textAt(file, strings.offset + file.readUInt32LE(at)))
      .sort(),
  };
}

/**
 * @param {Buffer} file
 * @param {number} at
 */
function headerAt(file, at) {
  return {
    name: file.readUInt32LE(at),
    type: file.readUInt32LE(at + 4),
    offset: Number(file.readBigUInt64LE(at + 24)),
    length: Number(file.readBigUInt64LE(at + 32)),
    link: file.readUInt32LE(at + 40),
  };
}

/**
 * @param {Buffer} file
 * @param {number} at
 */
function textAt(file, at) {
  return file.toString('latin1', at, file.indexOf(0, at));
}
