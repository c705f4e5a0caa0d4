/** Compiles the Java oracle into a temporary directory and talks to it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The version that answers for the fixtures. Other versions print other texts. */
export const REFERENCE_VERSION = '2.1.11';
export const MADE_BY = `HdrHistogram ${REFERENCE_VERSION}, Debian libhdrhistogram-java`;

const SOURCES = fileURLToPath(new URL('./oracle/', import.meta.url));
const DEBIAN_PACKAGE = 'libhdrhistogram-java';
const USUAL_PLACES = ['/usr/share/java/HdrHistogram.jar', '/usr/share/java/hdrhistogram.jar'];

/** Java or the library is not installed, so there is nobody to ask. This is not a failure. */
export class OracleUnavailable extends Error {}

/** HdrHistogram threw: `message` is the class of the exception, `cause` its message. */
export class Rejected extends Error {}

/**
 * Runs a check, which asks the oracle and returns its exit code. Without Java, it says that the check is skipped.
 *
 * @param {string} name
 * @param {boolean} isNeeded Whether a run without Java fails.
 */
export async function withOracle(name, isNeeded, run) {
  try {
    const oracle = await openOracle();
    try {
      process.exitCode = await run(oracle);
    } finally {
      await oracle.close();
    }
  } catch (error) {
    if (!(error instanceof OracleUnavailable)) throw error;
    console.log(`${name}: skipped, ${error.message}`);
    process.exitCode = isNeeded ? 1 : 0;
  }
}

/** @throws OracleUnavailable */
export async function openOracle() {
  const jar = findJar();
  for (const tool of ['javac', 'java']) {
    if (spawnSync(inJavaHome(tool), ['-version']).status !== 0) {
      throw new OracleUnavailable(`${tool} does not run: a JDK is needed`);
    }
  }
  const classes = mkdtempSync(join(tmpdir(), 'hdrscope-oracle-'));
  const oracle = new Oracle(classes, jar);
  try {
    await oracle.start();
  } catch (error) {
    await oracle.close();
    throw error;
  }
  return oracle;
}

class Oracle {
  #classes;
  #jar;
  #java;
  #waiting = [];
  #failure;

  constructor(classes, jar) {
    this.#classes = classes;
    this.#jar = jar;
  }

  async start() {
    const sources = readdirSync(SOURCES).filter((name) => name.endsWith('.java'));
    const compiler = spawnSync(
      inJavaHome('javac'),
      ['-encoding', 'UTF-8', '-d', this.#classes, '-cp', this.#jar, ...sources],
      { cwd: SOURCES, encoding: 'utf8' },
    );
    if (compiler.status !== 0) throw new Error(`javac refused the oracle:\n${compiler.stderr}`);

    const classPath = [this.#classes, this.#jar].join(delimiter);
    this.#java = spawn(inJavaHome('java'), ['-XX:+UseSerialGC', '-cp', classPath, 'Oracle'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // The exit of a dead process fails every question, so errors of its pipe are ignored.
    this.#java.stdin.on('error', () => {});
    createInterface({ input: this.#java.stdout }).on('line', (line) => this.#waiting.shift().resolve(line));
    this.#java.on('error', (error) => this.#fail(error));
    this.#java.on('close', (code) => this.#fail(new Error(`the oracle ended with exit code ${code}`)));

    const version = await this.ask('version');
    if (version !== REFERENCE_VERSION) {
      throw new OracleUnavailable(
        `the jar is HdrHistogram ${version}, fixtures are made by ${REFERENCE_VERSION}`,
      );
    }
  }

  /** @throws Rejected when HdrHistogram throws */
  async ask(...fields) {
    if (this.#failure) throw this.#failure;
    this.#java.stdin.write(`${fields.join('\t')}\n`);
    const line = await new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    const reply = JSON.parse(line);
    if (reply.rejected) throw new Rejected(reply.rejected, { cause: reply.message });
    return reply.answer;
  }

  async close() {
    if (this.#java && this.#java.exitCode === null && !this.#failure) {
      this.#java.stdin.end();
      await once(this.#java, 'close');
    }
    rmSync(this.#classes, { recursive: true, force: true });
  }

  #fail(error) {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}

export function inJavaHome(tool) {
  return process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', tool) : tool;
}

/** @throws OracleUnavailable */
export function findJar() {
  const named = process.env.HDRSCOPE_HDRHISTOGRAM_JAR;
  if (named) {
    if (existsSync(named)) return named;
    throw new OracleUnavailable(`HDRSCOPE_HDRHISTOGRAM_JAR names no file: ${named}`);
  }
  const installed = spawnSync('dpkg', ['-L', DEBIAN_PACKAGE], { encoding: 'utf8' });
  const listed = (installed.stdout ?? '')
    .split('\n')
    .filter((path) => /^\/usr\/share\/java\/.*\.jar$/.test(path));
  const jar = [...listed, ...USUAL_PLACES].find((path) => existsSync(path));
  if (jar) return jar;
  throw new OracleUnavailable(
    `no HdrHistogram jar: install ${DEBIAN_PACKAGE} or set HDRSCOPE_HDRHISTOGRAM_JAR`,
  );
}
