import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveAdminSocket } from '@hdrscope/ceph';
import { openHistory } from '@hdrscope/history';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import type { Kind, PublicElement, PublicFunction, PublicOptions } from '../lib/public-functions.js';
import { workspaceRoot } from '../lib/workspace.js';
import { SOCKET } from './right-calls/ceph.ts';
import { EXPORTER_CONFIG } from './right-calls/ebpf.ts';
import { FOLDER } from './right-calls/history.ts';
import { RIGHT_CALLS } from './right-calls/index.ts';
import { LOG } from './right-calls/logs.ts';
import { filled } from './right-calls/registry.ts';
import { AGENT_CONFIG } from './right-calls/servers.ts';
import { HOSTILITY, WRONG_OPTIONS, WRONG_VALUES } from './wrong-values.ts';

shareDuckDb();

/** Packages whose functions promise nothing: the kit is for other packages, and the drop-in does as the package that it replaces. */
const WITHOUT_PROMISE = /^(kit|hdr-histogram-js)\./;

/** Functions that are not called here, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'core.HdrLayout': 'its class is exported as a type: hdrLayout makes one',
  'registry.Source.collect': 'applications write it, and registries call it',
  'core.HdrscopeError': 'whoever throws an error gets no other error instead',
  'otel.Producer.collect': 'OpenTelemetry calls it',
  'prometheus.HdrPrometheusExporter.collect': 'OpenTelemetry calls it',
  'prometheus.HdrPrometheusExporter.forceFlush': 'OpenTelemetry calls it',
  'plot.renderHtml': 'it needs a built script',
  'prometheus.HdrPrometheusExporter.shutdown': 'OpenTelemetry calls it',
};

// The compiler works twice as fast outside of Jest.
const listed: PublicFunction[] = JSON.parse(
  execFileSync(process.execPath, [join(workspaceRoot, 'tools/lib/public-functions.js')], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  }),
);
const functions = listed.filter(
  ({ name, parameters }) =>
    !WITHOUT_PROMISE.test(name) && parameters.length > 0 && LEFT_OUT[name] === undefined,
);
const startFolder = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'hdrscope-options-'));
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
let daemon: Awaited<ReturnType<typeof serveAdminSocket>>;
let calls = 0;

// Texts that are right as paths make files.
beforeAll(async () => {
  process.chdir(folder);
  for (const { path, text } of [AGENT_CONFIG, EXPORTER_CONFIG, LOG]) writeFileSync(path, text);
  daemon = await serveAdminSocket({ path: SOCKET });
  const sink = await openHistory(filled(), { folder: FOLDER });
  await sink.close();
  process.on('unhandledRejection', note);
});

// A text that is taken for the path of a folder makes one, which the next function may take for a file.
afterEach(() => rmSync(join(folder, 'x'), { recursive: true, force: true }));

afterAll(async () => {
  process.off('unhandledRejection', note);
  await daemon.close();
  process.chdir(startFolder);
  rmSync(folder, { recursive: true, force: true });
  const options = functions.flatMap(({ parameters }) =>
    parameters.flatMap((parameter) => Object.keys(parameter.options ?? {})),
  );
  console.log(`${functions.length} functions, ${options.length} options, ${calls} calls`);
});

test('every public function has a right call', () => {
  expect(Object.keys(RIGHT_CALLS).toSorted()).toEqual(functions.map(({ name }) => name).toSorted());
});

interface CallError extends Error {
  readonly code?: string;
  readonly syscall?: string;
}

async function errorOf(name: string, args: readonly unknown[]): Promise<CallError | undefined> {
  calls += 1;
  try {
    await finish(await RIGHT_CALLS[name]!.call(...(args as never[])));
    return undefined;
  } catch (error) {
    return error as CallError;
  }
}

/** Takes the first step of an iterator, and closes what was opened. */
async function finish(returned: unknown): Promise<void> {
  const { next, close } = (returned ?? {}) as Partial<AsyncGenerator> & { close?: unknown };
  if (typeof next === 'function') {
    const steps = returned as AsyncGenerator;
    await steps.next();
    await steps.return(undefined);
  } else if (typeof close === 'function') await close.call(returned);
}

/** A call with one wrong argument or option. */
interface WrongCall {
  /** The name of the option, or of the parameter. */
  readonly what: string;
  readonly label: string;
  readonly args: readonly unknown[];
  /** What the message must contain. @default nothing */
  readonly named?: string;
  /** Whether the type allows the value. */
  readonly isAllowed: boolean;
}

function wrongCalls({ parameters }: PublicFunction, args: readonly unknown[]): WrongCall[] {
  return parameters.flatMap(({ name: parameter, isOptional, kinds, options }, index) => {
    if (options === undefined) {
      const missing = isOptional ? [] : [{ name: 'undefined', kind: 'null' as Kind, value: undefined }];
      return (index === 0 ? [...WRONG_VALUES, ...missing] : []).map(({ name, kind, value }) => ({
        what: parameter,
        label: name,
        args: args.with(index, value),
        isAllowed: takes(kinds, kind),
      }));
    }
    return [
      ...WRONG_OPTIONS.map(({ name, kind, value }) => ({
        what: parameter,
        label: name,
        args: args.with(index, value),
        isAllowed: takes(kinds, kind),
      })),
      ...wrongMembers(parameter, options, args[index] as object).map(({ value, ...call }) => ({
        ...call,
        args: args.with(index, value),
      })),
    ];
  });
}

const takes = (taken: readonly Kind[], kind: Kind | 'hostile'): boolean =>
  taken.includes('any') ||
  (kind === 'hostile' ? taken.includes('object') || taken.includes('structure') : taken.includes(kind));

/** An object or an array that stands in the place of a right one. */
type WrongObject = Omit<WrongCall, 'args'> & { readonly value: object };

/**
 * Options with one that does not exist, or with one wrong value: of an option, or within it where it is again an object of options. An
 * object of functions, such as an observer, may have others.
 */
function wrongMembers(what: string, options: PublicOptions, right: object): WrongObject[] {
  return [
    {
      what,
      label: 'an unknown option',
      value: { ...right, 'no option': 1 },
      named: 'no option',
      isAllowed: Object.values(options).every(({ kinds }) => takes(kinds, 'function')),
    },
    ...Object.entries(options).flatMap(([option, { kinds, options: inner, element }]) => [
      ...WRONG_VALUES.map(({ name, kind, value }) => ({
        what: option,
        label: name,
        value: { ...right, [option]: value },
        named: option,
        isAllowed: takes(kinds, kind),
      })),
      ...(inner === undefined
        ? []
        : wrongMembers(option, inner, rightMembers(inner, (right as Record<string, unknown>)[option])).map(
            ({ value, ...call }) => ({
              ...call,
              what: call.what === option ? option : `${option}.${call.what}`,
              value: { ...right, [option]: value },
            }),
          )),
      ...wrongElements(option, element, (right as Record<string, unknown>)[option]).map(
        ({ value, ...call }) => ({ ...call, value: { ...right, [option]: value } }),
      ),
    ]),
  ];
}

/** Arrays whose first element, or a member of it, is wrong. The elements after it are those of a right call. */
function wrongElements(what: string, element: PublicElement | undefined, right: unknown): WrongObject[] {
  if (element === undefined) return [];
  const { kinds, options } = element;
  const [first, ...others] = Array.isArray(right) ? right : [];
  const place = `${what}[0]`;
  // Some errors name one element by the singular: `percentile must be …`.
  const named = what.replace(/s$/, '');
  // What a function returns is seen later than where it is given.
  const wrong = WRONG_VALUES.filter(({ kind }) => kind !== 'function' || !takes(kinds, kind)).map(
    ({ name, kind, value }) => ({
      what: place,
      label: name,
      value: [value, ...others],
      named,
      isAllowed: takes(kinds, kind),
    }),
  );
  if (options === undefined) return wrong;
  const ofMembers = wrongMembers(place, options, rightMembers(options, first));
  return [
    ...wrong,
    // Lists of plain records are refused as a whole, or by the first element that is wrong.
    ...ofMembers
      .filter(({ named }) => named !== 'no option')
      .map(({ value, ...call }) => ({
        ...call,
        what: call.what === place ? place : `${place}.${call.what}`,
        value: [value, ...others],
        named: call.isAllowed ? '' : named,
      })),
  ];
}

/** The members that a right call gives, and plain values of the others that the type requires. */
function rightMembers(options: PublicOptions, given: unknown): object {
  const required = Object.entries(options).filter(([, { isOptional }]) => !isOptional);
  const plain = required.map(([name, { kinds }]) => [name, kinds.includes('number') ? 1 : 'x'] as const);
  return { ...Object.fromEntries(plain), ...(given as object | undefined) };
}

/** What is wrong with the outcome of a call; `undefined`: nothing. */
function complaintOf(
  error: CallError | undefined,
  { named, isAllowed }: Pick<WrongCall, 'named' | 'isAllowed'>,
): string | undefined {
  if (error === undefined) return isAllowed ? undefined : 'is taken';
  // A hostile object as an argument is no accident, and its own error tells more than another.
  if (error === HOSTILITY && (isAllowed || named === undefined)) return undefined;
  if (error.name !== 'HdrscopeError') {
    const isOfSystem = isAllowed && error.syscall !== undefined;
    return isOfSystem ? undefined : `fails with ${error.name}: ${error.message}`;
  }
  const mustName = named !== undefined && (error.code === 'ERR_INVALID_OPTION' || !isAllowed);
  return mustName && !error.message.includes(named)
    ? `is not named: ${error.code} ${error.message}`
    : undefined;
}

test.each(functions.map((each) => [each.name, each] as const))(
  '%s refuses arguments of wrong types',
  async (name, each) => {
    const { args } = RIGHT_CALLS[name]!;
    const found: string[] = [];
    const right = await errorOf(name, args);
    if (right !== undefined && (right.name !== 'HdrscopeError' || /INVALID/.test(`${right.code}`)))
      found.push(`the right call fails: ${right}`);
    for (const call of wrongCalls(each, args)) {
      const complaint = complaintOf(await errorOf(name, call.args), call);
      if (complaint !== undefined) found.push(`${call.what}: ${call.label} ${complaint}`);
    }
    expect(found).toEqual([]);
  },
);

test('no promise was left to reject', () => {
  expect(unhandled).toEqual([]);
});
