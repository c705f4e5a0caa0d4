/**
 * `node --import @hdrscope/otel/register app.js`: turns histograms of an application into HDR histograms, without a change of it.
 */
import { start } from './start.ts';

const STARTED = Symbol.for('hdrscope.otel.register');
const scope = globalThis as { [STARTED]?: true };

if (scope[STARTED] === undefined) {
  scope[STARTED] = true;
  start();
}
