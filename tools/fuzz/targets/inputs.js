import { importSource } from '../../lib/import-source.js';

/** @typedef {import('../engine.js').Target} Target */

/** @returns {Promise<Target>} */
export async function inputForm() {
  const { readEncoded, recogniseInput } = await importSource('inputs/src/index.ts');
  return {
    form: 'text',
    seeds: [
      'HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n',
      '# ms\n1\n2.5\n',
      '{"osd":{"op_r":{"axes":[]}}}',
      '       Value     Percentile TotalCount 1/(1-Percentile)\n\n',
      '#[Histogram log format version 1.3]\n',
    ],
    words: ['HIST', 'DHIST', ' HIST', '"axes":', '#', '1e5', '\t', '  '],
    mostMb: 512,
    gathers: true,
    run(text) {
      recogniseInput(text);
      const form = recogniseInput(text, { isWhole: true });
      return form === 'encoded' ? readEncoded(new TextEncoder().encode(text)) : undefined;
    },
  };
}
