// Gives the vectors of docs/formats/vectors to a program of any language, and compares its answers: docs/formats/conformance.md.
//
//     npm run conformance -- python3 tools/conformance/python/reader.py

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, workspaceRoot } from '../lib/workspace.js';

/** @typedef {readonly [lower: number, upper: number, count: number]} Slot */
/** @typedef {{ form: string, writer?: string, madeBy: string, name: string, input: string, slots: readonly Slot[] }} Vector */
/** @typedef {{ id: number, slots?: readonly Slot[], unsupported?: boolean, error?: string }} Answer */

const FOLDER = join(workspaceRoot, 'docs/formats/vectors');
const LIMIT_MS = 60_000;
/** How far a bound may be from that of the vector, as a share of it. The buckets of VictoriaMetrics have four digits in their texts. */
const TOLERANCE = { vmrange: 1e-3, otherwise: 1e-9 };
/** Bounds that are nearer to 0 than this are 0. */
const ZERO = 1e-100;

/** All vectors, in the order of their files. @returns {Vector[]} */
export function readVectors() {
  const files = readdirSync(FOLDER).sort();
  return files.flatMap((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')).vectors);
}

/**
 * What is wrong with an answer; `undefined` when it is right.
 *
 * @param {Vector} vector @param {Answer | undefined} answer
 */
export function findFault({ form, slots }, answer) {
  if (answer === undefined) return 'no answer';
  if (answer.error !== undefined) return `refused: ${answer.error}`;
  const found = answer.slots ?? [];
  if (found.length !== slots.length) return `${found.length} slots, and there are ${slots.length}`;
  const tolerance = form === 'vmrange' ? TOLERANCE.vmrange : TOLERANCE.otherwise;
  for (const [at, [lower, upper, count]] of slots.entries()) {
    const [ourLower, ourUpper, ourCount] = /** @type {Slot} */ (found[at]);
    if (ourCount !== count) return `slot ${at} has the count ${ourCount}, which must be ${count}`;
    for (const [ours, theirs] of /** @type {const} */ ([
      [ourLower, lower],
      [ourUpper, upper],
    ])) {
      const most = Math.max(tolerance * Math.abs(theirs), ZERO);
      if (!(Math.abs(ours - theirs) <= most))
        return `slot ${at} has the bound ${ours}, which must be ${theirs}`;
    }
  }
  return undefined;
}

/** Runs a program over all vectors. @param {readonly string[]} command */
export function runProgram([program = '', ...args]) {
  const vectors = readVectors();
  const questions = vectors.map(({ form, writer, input }, id) => JSON.stringify({ id, form, writer, input }));
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    input: `${questions.join('\n')}\n`,
    encoding: 'utf8',
    timeout: LIMIT_MS,
    maxBuffer: 2 ** 27,
  });
  if (error !== undefined || status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
  /** @type {Map<number, Answer>} */
  const answers = new Map();
  for (const line of stdout.split('\n').filter((one) => one.trim() !== '')) {
    const answer = JSON.parse(line);
    if (answers.has(answer.id)) throw new Error(`${program} has two answers to ${answer.id}`);
    answers.set(answer.id, answer);
  }
  return vectors.map((vector, id) => {
    const answer = answers.get(id);
    return answer?.unsupported === true
      ? { vector, isUnsupported: true }
      : { vector, fault: findFault(vector, answer) };
  });
}

/** @param {ReturnType<typeof runProgram>} results */
function report(results) {
  for (const { vector, fault } of results) {
    if (fault !== undefined) console.log(`${vector.form} of ${vector.madeBy}, ${vector.name}: ${fault}`);
  }
  for (const form of new Set(results.map(({ vector }) => vector.form))) {
    const own = results.filter(({ vector }) => vector.form === form);
    const wrong = own.filter(({ fault }) => fault !== undefined).length;
    const unsupported = own.filter(({ isUnsupported }) => isUnsupported).length;
    console.log(
      `${form}: ${own.length - wrong - unsupported} right, ${wrong} wrong, ${unsupported} not supported`,
    );
  }
  return results.every(({ fault }) => fault === undefined);
}

if (isMain(import.meta)) {
  const command = process.argv.slice(2);
  if (command.length === 0) {
    console.error('usage: npm run conformance -- PROGRAM [ARGUMENT…]');
    process.exit(2);
  }
  if (!report(runProgram(command))) process.exitCode = 1;
}
