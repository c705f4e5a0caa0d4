/** The Java reference as a peer, when the machine has it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @import { Shape } from './libraries.js' */
/** @import { External } from './types.js' */

const source = fileURLToPath(new URL('./java/RecordBench.java', import.meta.url));

/** Where Linux distributions put it; `HDRSCOPE_HDRHISTOGRAM_JAR` names another place. */
const usualJars = ['/usr/share/java/HdrHistogram.jar', '/usr/share/java/hdrhistogram.jar'];

/** The file of the library, where the machine has it. */
export function findJar() {
  return [process.env.HDRSCOPE_HDRHISTOGRAM_JAR, ...usualJars].find((path) => path && existsSync(path));
}

/**
 * `Histogram.recordValue` on the same values, which travel in a file.
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
 * Writes the values as big-endian 64-bit integers, the order of Java.
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
