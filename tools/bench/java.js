/** The Java reference as a peer, where it is installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @import { Shape } from './libraries.js' */
/** @import { External } from './types.js' */

const source = fileURLToPath(new URL('./java/RecordBench.java', import.meta.url));

/** The path in Linux distributions; `HDRSCOPE_HDRHISTOGRAM_JAR` names another one. */
const usualJars = ['/usr/share/java/HdrHistogram.jar', '/usr/share/java/hdrhistogram.jar'];

/** The path of the library; `undefined` where it is not installed. */
export function findJar() {
  return [process.env.HDRSCOPE_HDRHISTOGRAM_JAR, ...usualJars].find((path) => path && existsSync(path));
}

/**
 * `Histogram.recordValue` on the same values, which Java reads from a file.
 *
 * @param {() => Float64Array} values
 * @param {Shape} shape
 * @returns {External}
 */
export function javaRecord(values, { highest, digits = 3 }) {
  return {
    command() {
      const jar = findJar();
      if (!jar) return { absent: 'no HdrHistogram.jar (set HDRSCOPE_HDRHISTOGRAM_JAR)' };
      if (spawnSync('java', ['-version'], { stdio: 'ignore' }).status !== 0) return { absent: 'no java' };
      return ['java', '-cp', jar, source, valuesFile(values()), String(highest), String(digits)];
    },
  };
}

/**
 * Writes the values as big-endian 64-bit integers, as Java reads them.
 *
 * @param {Float64Array} values
 */
function valuesFile(values) {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const bytes = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((value, i) => {
    bytes.setBigInt64(8 * i, BigInt(value));
  });
  const file = join(folder, 'values');
  writeFileSync(file, bytes);
  return file;
}
