import { transformFileSync } from '@swc/core';

/** The JavaScript of a module in TypeScript. Its relative imports name modules that were built in the same way. */
export function javaScriptOf(file: string): string {
  const { code } = transformFileSync(file, {
    swcrc: false,
    configFile: false,
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript' },
      transform: { verbatimModuleSyntax: true },
    },
    module: { type: 'es6' },
  });
  return code.replace(/((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js');
}
