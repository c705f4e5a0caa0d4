import { runDemo } from './demo.ts';
import { HELP, parseOptions, UsageError } from './options.ts';

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(HELP);
  else process.exitCode = await runDemo(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\nnpm start -- --help lists the options\n`);
  process.exitCode = 2;
}
