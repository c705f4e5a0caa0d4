import { Option } from 'commander';
import { wrongOption } from '../arguments.ts';
import { amountIn } from '../numbers/number-unit.ts';

/** `--sizes`: where classes of sizes begin, in bytes. */
export function sizesOption(note = ''): Option {
  const help = `${note}where the classes of sizes begin: 512 bytes times powers of two`;
  return new Option('--sizes <list>', help).argParser((text) => {
    const sizes = text.split(',').map((part) => amountIn(part.trim(), 'bytes') ?? Number.NaN);
    if (sizes.every((size, at) => size > (sizes[at - 1] ?? 0))) return sizes;
    throw wrongOption('--sizes', 'ascending sizes, as in 4KiB,64KiB', text);
  });
}
