/** What an attack on a server does, and how it counts what became of it. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** @import { AttackReport } from './attacker.js' */

const host = '127.0.0.1';

/**
 * The work of an attack, which adds to its report.
 *
 * @typedef {(report: AttackReport) => Promise<void>} Attack
 */

/** The time that an answer has: only a request without an end takes so long, also on a machine with much other work. */
const ANSWER_MS = 60_000;
/** The time for reading what the server has sent meanwhile. */
const READ_MS = 100;

/**
 * Opens connections that send a text, and reads nothing until the time is over.
 *
 * @param {number} port
 * @param {number} count
 * @param {string} text
 * @param {number} forMs
 * @returns {Attack}
 */
export function hold(port, count, text, forMs) {
  return async (report) => {
    const held = Array.from({ length: count }, () => {
      const socket = connect(port, host);
      const state = { socket, received: '', isClosed: false };
      socket.setEncoding('latin1').on('data', (received) => {
        state.received += received;
      });
      const onEnd = () => {
        state.isClosed = true;
      };
      socket.on('connect', () => socket.write(text));
      socket.on('error', onEnd).on('end', onEnd).pause();
      return state;
    });
    await sleep(forMs);
    // The answer shows that a busy server has seen the connections before it.
    await ask(port, '/healthz', {})(emptyReport(''));
    for (const { socket } of held) socket.resume();
    await sleep(READ_MS);
    for (const { socket, received, isClosed } of held) {
      report.connections++;
      if (isClosed) report.closed++;
      for (const [, status] of received.matchAll(/^HTTP\/1\.1 (\d+)/gm)) countAnswer(report, Number(status));
      socket.destroy();
    }
  };
}

/**
 * Sends a request, which counts once: as answered or as refused by its status, or as closed when there is no answer. One that gets no
 * answer in time counts as none of them.
 *
 * @param {number} port
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string> }} options
 * @param {Buffer} [body]
 * @returns {Attack}
 */
export function ask(port, path, { method = 'GET', headers = {} }, body) {
  return async (report) => {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const asked = request({ host, port, path, method, headers, signal, agent: false });
    report.connections++;
    asked.on('error', () => {}).end(body);
    const [response] = await once(asked, 'response').catch(() => []);
    if (response === undefined) {
      if (!signal.aborted) report.closed++;
      return;
    }
    countAnswer(report, response.statusCode);
    response.on('error', () => {}).resume();
    // A connection that breaks within the answer rejects this. The request counts already, by its status.
    await once(response, 'close').catch(() => {});
  };
}

/**
 * @param {string} name
 * @param {boolean} [isRefused]
 * @returns {AttackReport}
 */
export function emptyReport(name, isRefused = false) {
  return { name, isRefused, times: 0, connections: 0, answered: 0, refused: 0, closed: 0 };
}

/**
 * @param {AttackReport} report
 * @param {number} status
 */
function countAnswer(report, status) {
  if (status >= 400) report.refused++;
  else report.answered++;
}
