import type { IngestKernelOptions } from '@hdrscope/ebpf';
import { kernelMetricName } from '@hdrscope/ebpf/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { Command, CommanderError, type Option } from 'commander';
import { choiceOption } from '../arguments.ts';
import { UsageError } from '../command.ts';
import { NUMBER_UNITS } from '../numbers/number-unit.ts';
import { familiesOf } from './exporter-config.ts';
import { addMapOptions, MAP_ARGUMENT_HELP, type MapOptions } from './map-argument.ts';
import { PROGRAM_ARGUMENT_HELP } from './program-argument.ts';

/** Options of a map that is served. */
export interface ServedMapOptions extends MapOptions {
  readonly unit?: CountedUnit;
  readonly perCpu?: boolean;
  readonly metric?: string;
  readonly description?: string;
  readonly since?: 'beginning' | 'now';
}

/** A map that is served, with its options. */
export interface ServedMap {
  /** The map, as `openMap` takes it. */
  readonly argument: string;
  readonly options: ServedMapOptions;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Help for the operands of `ebpf serve`. */
export const SERVED_MAP_HELP: string = `${MAP_ARGUMENT_HELP}; or ${PROGRAM_ARGUMENT_HELP}; each with options of its own behind it, as in X,unit=ns,metric=wait`;

/** Adds `--unit` to a command that serves maps. The kernel does not know the unit of a map. */
export function servedUnitOption(): Option {
  const help = 'unit of the values; times are served in seconds, sizes in bytes';
  return choiceOption('--unit <unit>', help, NUMBER_UNITS).default(undefined, 'none, the values as they are');
}

/**
 * Parses `MAP` or `MAP,key=value,…`. The keys are those of a map in the configuration of the agent: `layout`, `unit`, `metric`,
 * `description`, `perCpu`, `since`, `attributes.NAME`. A comma without a key behind it belongs to the value, as in `layout=0,1,4`.
 *
 * @param common Options of all maps. Those of the operand come before them.
 * @throws UsageError
 */
export function parseServedMap(operand: string, common: ServedMapOptions): ServedMap {
  const [argument = '', ...parts] = operand.split(/,(?=[A-Za-z][\w.-]*=)/);
  const parser = optionsParser();
  const attributes: Record<string, string> = {};
  const given = new Set<string>();
  const switches: Record<string, boolean> = {};
  const args: string[] = [];
  for (const part of parts) {
    const [key, value] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)];
    if (given.has(key)) throw new UsageError(`${argument}: ${key} must be stated once`);
    given.add(key);
    const attribute = /^attributes\.(.+)$/.exec(key)?.[1];
    if (attribute !== undefined) {
      attributes[attribute] = value;
      continue;
    }
    const option = parser.options.find((one) => one.attributeName() === key);
    if (option === undefined) {
      const keys = parser.options.map((one) => one.attributeName()).join(', ');
      throw new UsageError(`${argument}: the options of a map are ${keys} and attributes.NAME, got '${key}'`);
    }
    if (value === '') throw new UsageError(`${argument}: ${key} must have a value`);
    if (!option.isBoolean()) args.push(`${option.long}=${value}`);
    else if (value === 'true' || value === 'false') switches[key] = value === 'true';
    else throw new UsageError(`${argument}: ${key} must be true or false, got '${value}'`);
  }
  try {
    parser.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof CommanderError)) throw error;
    throw new UsageError(`${argument}: ${error.message.replace(/^--/, '')}`);
  }
  return { argument, options: { ...common, ...parser.opts<ServedMapOptions>(), ...switches }, attributes };
}

/** The options of one map among those of the command, which hold for no second map: a layout, a unit. */
export function optionsOfOneMap(): readonly Option[] {
  return optionsParser().options.filter((option) => !option.isBoolean());
}

/** How a served map becomes a metric. */
export function histogramsOptions({ argument, options, attributes }: ServedMap): IngestKernelOptions {
  const { unit, perCpu = false, metric, description, since, config } = options;
  const stated = {
    ...(metric !== undefined && { name: metric }),
    ...(description !== undefined && { description }),
  };
  if (config !== undefined && unit !== undefined && unit !== 'none') {
    throw new UsageError(`${argument}: unit and --config exclude each other: the configuration has the unit`);
  }
  if (config === undefined) {
    return { ...(unit !== undefined && { kernelUnit: unit }), perCpu, since, attributes, ...stated };
  }
  const families = Object.entries(familiesOf(config)).map(([name, family]) => [
    name,
    { ...family, ...stated },
  ]);
  return { perCpu, since, attributes, families: Object.fromEntries(families) };
}

/** The name of the metric of a histogram. */
export function metricOf(
  { options: { metric, config, unit = 'none' } }: ServedMap,
  histogram: string,
): string {
  const configured = config?.histograms.find(({ name }) => name === histogram);
  return metric ?? configured?.family.name ?? kernelMetricName(histogram, unit);
}

function optionsParser(): Command {
  return addMapOptions(new Command('map'))
    .addOption(servedUnitOption())
    .option('--metric <name>')
    .option('--description <text>')
    .option('--per-cpu')
    .addOption(choiceOption('--since <when>', '', ['beginning', 'now']))
    .exitOverride()
    .configureOutput({ outputError: () => {} });
}
