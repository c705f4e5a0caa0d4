import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */

/** The line that a command prints for an error. @param {any} error */
const isRefusal = (error) => error?.name === 'Refusal' || error?.constructor?.name === 'UsageError';

/** @returns {Promise<Target>} */
export async function moment() {
  const { parseMoment } = await importSource('cli/src/moment.ts');
  return {
    form: 'text',
    seeds: [
      '90',
      '1m30s',
      '2026-03-01T12:00:00Z',
      '2026-03-01 12:00',
      '1441812279.474',
      '2026-03-01T12:00:00+02:00',
    ],
    words: ['T', 'Z', '+', ':', '-', '.', 'm', 's', 'h', '00', ' '],
    allows: isRefusal,
    run(text) {
      const { epochSec = 0, offsetSec = 0 } = parseMoment(text, '--since');
      assertThat(Number.isFinite(epochSec) && Number.isFinite(offsetSec), () => `${epochSec}, ${offsetSec}`);
    },
  };
}
