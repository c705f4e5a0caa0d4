import { checkDocs } from '../check-docs.js';
import { createTree } from './temp-tree.ts';

/** A workspace of one package with this module. */
function workspace(source: string): string {
  return createTree({
    'package.json': { workspaces: ['packages/*'] },
    'packages/a/package.json': {
      name: 'a',
      type: 'module',
      exports: {
        '.': { '@hdrscope/source': './src/index.ts', types: './dist/index.d.ts' },
        './internal': { '@hdrscope/source': './src/internal.ts', types: './dist/internal.d.ts' },
      },
    },
    'packages/a/src/index.ts': source,
    'packages/a/src/internal.ts': 'export const hidden = 1;',
    'docs/errors.md': '| `ERR_SIZE` | when | cure |\n| `ERR_KIND` | when | cure |\n',
  });
}

const messages = (source: string) => checkDocs(workspace(source)).findings.map(({ message }) => message);

describe('comments', () => {
  it.each([
    ['a function', 'export function a() {}', 'a has no doc comment'],
    ['a constant', "export const a = 'x';", 'a has no doc comment'],
    ['a property', '/** A. */\nexport interface A { readonly b?: string }', 'A.b has no doc comment'],
    ['a method', '/** A. */\nexport class A { run(): void {} }', 'A.run has no doc comment'],
    ['a getter', '/** A. */\nexport class A { get b(): string { return ""; } }', 'A.b has no doc comment'],
    [
      'an overload',
      '/** A. */\nexport function a(b: string): void;\nexport function a(b: boolean): void;\nexport function a(_b: unknown): void {}',
      'a has no doc comment',
    ],
    [
      'a comment of tags',
      '/** @default no text */\nexport let a: string;',
      'a needs a sentence before the tags',
    ],
  ])('are missed: %s', (_what, source, expected) => {
    expect(messages(source)).toEqual([expected]);
  });

  it.each([
    ['what is not exported', 'interface A { b: string }'],
    ['the modules of `./internal`', "/** A. */\nexport const a = 'x';"],
    [
      'members that users do not see',
      '/** A. */\nexport class A { #a = ""; private b = ""; constructor() { this.#a = this.b; }\n/** @internal */ c = this.#a; }',
    ],
    [
      'the setter of a getter',
      '/** A. */\nexport class A {\n/** B. */\n get b(): string { return ""; } set b(_b: string) {} }',
    ],
    [
      'the body behind overloads',
      '/** A. */\nexport function a(b: string): void;\nexport function a(_b: unknown): void {}',
    ],
  ])('are not asked of: %s', (_what, source) => {
    expect(messages(source)).toEqual([]);
  });

  it('are missed with file and line, once for a name that two modules export', () => {
    const root = createTree({
      'package.json': { workspaces: ['packages/*'] },
      'packages/a/package.json': {
        name: 'a',
        exports: {
          '.': { '@hdrscope/source': './src/index.ts', types: './dist/index.d.ts' },
          './b': { '@hdrscope/source': './src/b.ts', types: './dist/b.d.ts' },
        },
      },
      'packages/a/src/index.ts': "export { b as c } from './b.ts';\n",
      'packages/a/src/b.ts': "\nexport const b = 'x';\n",
      'docs/errors.md': '',
    });
    expect(checkDocs(root)).toEqual({
      findings: [{ where: 'packages/a/src/b.ts:2', message: 'c has no doc comment' }],
      symbols: 1,
    });
  });
});

describe('errors', () => {
  const withBody = (body: string, doc = 'A.') =>
    messages(`/**\n * ${doc}\n */\nexport function a(): void {\n${body}\n}`);

  it.each([
    ['a throw', "throw mustBe('ERR_SIZE');"],
    ['a check', "assertSize('ERR_SIZE');"],
    ['what a catch throws', "try { b(); } catch { throw mustBe('ERR_SIZE'); }"],
    ['a throw without a catch', "try { throw mustBe('ERR_SIZE'); } finally { b(); }"],
  ])('must be stated: %s', (_what, body) => {
    expect(withBody(body)).toEqual(['a throws: @throws must say which error, and when']);
    expect(withBody(body, 'A.\n * @throws HdrscopeError `ERR_SIZE` when it is too large.')).toEqual([]);
    expect(withBody(body, 'A.\n * @throws HdrscopeError as `b` does.')).toEqual([]);
    expect(withBody(body, 'A. Rejects with `ERR_SIZE` when it is too large.')).toEqual([]);
  });

  it.each([
    ['what an inner function throws', "return () => { throw mustBe('ERR_SIZE'); };"],
    ['what the body catches', "try { throw mustBe('ERR_SIZE'); } catch { return; }"],
    ['what the body has caught', 'try { b(); } catch (error) { if (b(error)) throw error; }'],
  ])('need not be stated: %s', (_what, body) => {
    expect(withBody(body)).toEqual([]);
  });

  it('have all codes of the body, and only those that exist', () => {
    const body = "if (b) throw mustBe('ERR_SIZE');\nthrow mustBe('ERR_KIND');";
    expect(withBody(body, 'A.\n * @throws HdrscopeError `ERR_SIZE` when it is too large.')).toEqual([
      'a @throws must name ERR_KIND',
    ]);
    expect(withBody('throw b;', 'A.\n * @throws HdrscopeError when it is too large.')).toEqual([
      'a @throws HdrscopeError must name the code',
    ]);
    expect(
      withBody('throw b;', 'A.\n * @throws HdrscopeError `ERR_KIND`; `ERR_SIZE` when it is too large.'),
    ).toEqual(['a must say when it throws ERR_KIND']);
    expect(withBody('throw b;', 'A.\n * @throws HdrscopeError `ERR_OLD` when it is too large.')).toEqual([
      'a names ERR_OLD, which docs/errors.md lacks',
    ]);
  });

  it('are those of a constructor, which needs no sentence', () => {
    expect(messages("/** A. */\nexport class A { constructor() { throw mustBe('ERR_SIZE'); } }")).toEqual([
      'A.constructor throws: @throws must say which error, and when',
    ]);
    const comment = '/** @throws HdrscopeError `ERR_SIZE` when it is too large. */';
    const source = `/** A. */\nexport class A {\n${comment}\nconstructor() { throw mustBe('ERR_SIZE'); }\n}`;
    expect(messages(source)).toEqual([]);
  });

  it('are those of the body behind overloads too', () => {
    const source = `/** A. */\nexport function a(b: string): void;\nexport function a(_b: unknown): void { throw mustBe('ERR_SIZE'); }`;
    expect(messages(source)).toEqual(['a throws: @throws must say which error, and when']);
  });
});

describe('numbers', () => {
  it.each([
    [
      'a property',
      '/** A. */\nexport interface A {\n/** The limit. */ limit: number }',
      'A.limit must state the unit or the range of limit',
    ],
    [
      'a list',
      '/** A. */\nexport interface A {\n/** The limits. */ limit?: readonly number[] }',
      'A.limit must state the unit or the range of limit',
    ],
    [
      'a bigint or undefined',
      '/** A. */\nexport interface A {\n/** The limit. */ limit: bigint | undefined }',
      'A.limit must state the unit or the range of limit',
    ],
    [
      'a parameter',
      '/** Waits. */\nexport function wait(time: number): void {}',
      'wait must state the unit or the range of the parameter time',
    ],
    [
      'a number that only an example has',
      "/**\n * Waits.\n *\n * @example\n * ```ts\n * import { wait } from '@b/a';\n *\n * wait(5); // milliseconds\n * ```\n */\nexport function wait(time: number): void {}",
      'wait must state the unit or the range of the parameter time',
    ],
  ])('need a unit or a range: %s', (_what, source, expected) => {
    expect(messages(source)).toEqual([expected]);
  });

  it.each([
    ['the name', '/** A. */\nexport interface A {\n/** The limit. */ limitMs: number }'],
    ['a unit', '/** A. */\nexport interface A {\n/** The limit, in bytes. */ limit: number }'],
    ['a range', '/** A. */\nexport interface A {\n/** The confidence, between 0 and 1. */ limit: number }'],
    ['a count', '/** A. */\nexport interface A {\n/** How many parts there may be. */ limit: number }'],
    [
      'the tag of a parameter',
      '/**\n * Waits.\n *\n * @param time In milliseconds.\n */\nexport function wait(time: number): void {}',
    ],
    ['constants, which are names', '/** A. */\nexport interface A {\n/** The answer. */ status: 401 | 403 }'],
  ])('have one: %s', (_what, source) => {
    expect(messages(source)).toEqual([]);
  });
});

describe('formats', () => {
  it('are named by what reads or writes them', () => {
    expect(messages('/** Reads a line. */\nexport function parseLine(): void {}')).toEqual([
      'parseLine must name the format, or the program that reads or writes it',
    ]);
    expect(messages('/** A. */\nexport class A {\n/** The bytes. */ encode(): void {} }')).toEqual([
      'A.encode must name the format, or the program that reads or writes it',
    ]);
    expect(
      messages("/** Reads a line of HdrHistogram's log. */\nexport function parseLine(): void {}"),
    ).toEqual([]);
    expect(
      messages('/** What is read. */\nexport interface A {\n/** JSON or XML. */ format: string }'),
    ).toEqual([]);
  });
});
