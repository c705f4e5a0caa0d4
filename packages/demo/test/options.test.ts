import { HELP, parseOptions, UsageError } from '../src/options.ts';

const defaults = {
  seconds: 300,
  port: 8080,
  metricsPort: 9464,
  pagePort: 9465,
  connections: 8,
  saveTo: undefined,
  historyTo: undefined,
};

test.each([
  ['the defaults', [], {}],
  ['a duration', ['--seconds', '8'], { seconds: 8 }],
  ['a load without end', ['--seconds=0'], { seconds: 0 }],
  ['a port of the page', ['--page-port', '0'], { pagePort: 0 }],
  ['no page', ['--no-page', '--page-port', '80'], { pagePort: undefined }],
  ['a directory', ['--save', 'here'], { saveTo: 'here' }],
  ['a history', ['--history', 'there'], { historyTo: 'there' }],
  [
    'everything',
    ['--port', '0', '--metrics-port', '65535', '--connections', '500'],
    { port: 0, metricsPort: 65535, connections: 500 },
  ],
  ['an option given twice', ['--port', '1', '--port', '2'], { port: 2 }],
])('the command line sets %s', (_, args, expected) => {
  expect(parseOptions(args)).toEqual({ ...defaults, ...expected });
});

test.each([['--help'], ['-h']])('%s asks for help, whatever the other arguments', (flag) => {
  expect(parseOptions(['--seconds', '8', flag])).toBeUndefined();
});

test('the help names every option with its default', () => {
  expect(HELP).toMatch(/--seconds N .*\[300\]/);
  expect(HELP).toMatch(/--port N .*\[8080\]/);
  expect(HELP).toMatch(/--metrics-port N .*\[9464\]/);
  expect(HELP).toMatch(/--page-port N .*\[9465\]/);
  expect(HELP).toContain('--no-page ');
  expect(HELP).toMatch(/--connections N .*\[8\]/);
});

test.each([
  [['--duration', '8'], "Unknown option '--duration'"],
  [['-s'], "Unknown option '-s'"],
  [['8'], "unexpected argument '8' (npm needs -- before options, as in npm start -- --seconds 8)"],
  [['--seconds'], '--seconds needs a value'],
  [['--metrics-port', '--port', '1'], '--metrics-port needs a value'],
  [['--seconds=-1'], "--seconds must be an integer from 0 to 86400, got '-1'"],
  [['--seconds', '1.5'], "--seconds must be an integer from 0 to 86400, got '1.5'"],
  [['--seconds', '1e3'], "--seconds must be an integer from 0 to 86400, got '1e3'"],
  [['--seconds', ''], "--seconds must be an integer from 0 to 86400, got ''"],
  [['--port', '65536'], "--port must be an integer from 0 to 65535, got '65536'"],
  [['--metrics-port', 'x'], "--metrics-port must be an integer from 0 to 65535, got 'x'"],
  [['--page-port', '70000'], "--page-port must be an integer from 0 to 65535, got '70000'"],
  [['--connections', '0'], "--connections must be an integer from 1 to 500, got '0'"],
])('the arguments %j are refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(new UsageError(message));
});
