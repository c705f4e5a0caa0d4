import { Option } from 'commander';
import { parsePercentileList, wrongOption } from './arguments.ts';
import { parseDuration } from './duration.ts';

/** `--percentiles`, of slots. */
export function percentilesOption(): Option {
  return new Option('--percentiles <list>', 'which percentiles')
    .argParser((text) => parsePercentileList(text, '--percentiles'))
    .default([50, 90, 99], '50,90,99');
}

/** `--interval`, in seconds. */
export function intervalOption(description = 'how long an interval is'): Option {
  return new Option('--interval <duration>', description).argParser((text) =>
    parseDuration(text, '--interval'),
  );
}

/** `-n` */
export function intervalsOption(description = 'ends after so many (default: never)'): Option {
  return new Option('-n, --intervals <count>', description).argParser((text) => {
    if (!/^[1-9]\d*$/.test(text)) throw wrongOption('--intervals', 'an integer of at least 1', text);
    return Number(text);
  });
}

/** `--port`, of what listens. */
export function portOption(port: number): Option {
  return new Option('--port <number>', '0 is any that is free')
    .argParser((text) => {
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (!(number <= 65_535)) throw wrongOption('--port', 'an integer from 0 to 65535', text);
      return number;
    })
    .default(port);
}
