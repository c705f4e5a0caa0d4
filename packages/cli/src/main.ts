import { readFileSync } from 'node:fs';

// Scripts ask for the version most often, so it loads nothing else.
const [first] = process.argv.slice(2);
if (first === '--version' || first === '-V') {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
} else {
  const { runProcess } = await import('./process.ts');
  await runProcess();
}
