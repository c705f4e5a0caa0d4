/** Runs cases of a target in a child process, and starts another one behind a case that ended or blocked it. */
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SOURCE_ARGUMENTS } from '../lib/import-source.js';

/**
 * @typedef {object} Finding
 * @property {string} target
 * @property {number} index
 * @property {string} message
 * @property {string} [stack]
 * @property {string} [file] The content of a file in `regressions`, in Base64; missing when the case ended the process.
 *
 * @typedef {object} RunOptions
 * @property {number} seed
 * @property {number} [from] The first case. Left out: 0.
 * @property {number} [cases] Left out: as many as the time allows.
 * @property {number} [seconds] Left out: as long as the cases take.
 */

/** A case that takes more ends its process, and is a finding. */
const HEAP_MB = 512;
/** How long one case may block the process. */
const BLOCKED_MS = 60_000;

/**
 * @param {string} target
 * @param {RunOptions} options
 * @returns {Promise<{ cases: number, accepted: number, findings: Finding[] }>}
 */
export async function runTarget(target, options) {
  const { seed, from = 0, cases = Number.MAX_SAFE_INTEGER, seconds = 1e9 } = options;
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-fuzz-'));
  try {
    const positionFile = join(folder, 'position');
    const endMs = performance.now() + seconds * 1000;
    /** @type {Finding[]} */
    const findings = [];
    let next = from;
    let accepted = 0;
    while (next - from < cases && performance.now() < endMs) {
      writePosition(positionFile, next);
      const left = Math.max(0, endMs - performance.now()) / 1000;
      const fields = [target, seed, next, cases - (next - from), left, positionFile].map(String);
      const found = await runChild(fields, positionFile);
      findings.push(...found.findings.map((finding) => ({ target, ...finding })));
      next = found.next;
      accepted += found.accepted;
      if (found.failure === undefined) break;
      findings.push({ target, index: next - 1, message: found.failure });
    }
    return { cases: next - from, accepted, findings };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string[]} fields
 * @param {string} positionFile
 * @returns {Promise<{ findings: Omit<Finding, 'target'>[], next: number, accepted: number, failure?: string }>}
 */
function runChild(fields, positionFile) {
  const child = fork(fileURLToPath(new URL('./child.js', import.meta.url)), fields, {
    execArgv: [...SOURCE_ARGUMENTS, `--max-old-space-size=${HEAP_MB}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  return new Promise((resolve) => {
    /** @type {Omit<Finding, 'target'>[]} */
    const findings = [];
    let errors = '';
    let next = -1;
    let accepted = 0;
    let position = -1;
    let isBlocked = false;
    child.stderr?.on('data', (chunk) => {
      errors = `${errors}${chunk}`.slice(0, 4000);
    });
    child.on('message', (/** @type {any} */ message) => {
      if (message.done) ({ index: next, accepted } = message);
      else findings.push(message);
    });
    const timer = setInterval(() => {
      const now = readPosition(positionFile);
      if (now === position) {
        isBlocked = true;
        child.kill('SIGKILL');
      }
      position = now;
    }, BLOCKED_MS);
    child.on('close', (code, signal) => {
      clearInterval(timer);
      if (next >= 0) return resolve({ findings, next, accepted });
      const reason = isBlocked
        ? `blocks the process for ${BLOCKED_MS / 1000} s`
        : `ends the process with ${signal ?? `exit code ${code}`}: ${errors}`;
      resolve({ findings, next: readPosition(positionFile) + 1, accepted, failure: reason });
    });
  });
}

/**
 * @param {string} file
 * @param {number} index
 */
function writePosition(file, index) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(index);
  writeFileSync(file, bytes);
}

/** @param {string} file */
function readPosition(file) {
  return readFileSync(file).readDoubleBE();
}

const REGRESSIONS = fileURLToPath(new URL('./regressions/', import.meta.url));

/** The folder of the findings of a target. @param {string} target */
export function regressionsOf(target) {
  return join(REGRESSIONS, target);
}

/**
 * @param {Finding} finding
 * @param {string} extension
 * @returns {string | undefined} The path.
 */
export function keep({ target, message, file }, extension) {
  if (file === undefined) return undefined;
  const folder = regressionsOf(target);
  mkdirSync(folder, { recursive: true });
  const name = message
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  const path = join(folder, `${name}.${extension}`);
  writeFileSync(path, Buffer.from(file, 'base64'));
  return path;
}
