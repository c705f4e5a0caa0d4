import { readFileSync } from 'node:fs';

// What is asked for most often, by scripts above all, waits for nothing: the rest is loaded when it is needed.
const [first] = process.argv.slice(2);
if (first === '--version' || first === '-V') {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
} else {
  const { runProcess } = await import('./process.ts');
  await runProcess();
}
