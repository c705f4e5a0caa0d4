import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeTyping, ROOT } from './support/typed-document.ts';

const GUIDES = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`);

// One after the other, in one file: where a terminal has no network of its own, their servers share ports.
for (const document of ['README.md', 'docs/first-minutes.md', 'docs/tour.md', 'examples/data/README.md']) {
  describeTyping(document);
}
for (const document of [...GUIDES, 'docs/troubleshooting.md']) {
  // Some guides have programs alone, which tools/test/examples.test.ts runs.
  if (/^```console/m.test(readFileSync(join(ROOT, document), 'utf8'))) describeTyping(document);
}
