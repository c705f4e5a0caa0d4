import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../../packages/hdr-histogram-js', import.meta.url));

/** An empty project in a temporary folder, with packages from the registry. */
export class Project {
  readonly dir: string = mkdtempSync(join(tmpdir(), 'hdrscope-project-'));
  /** The file with the report of `both`. */
  readonly report: string = join(this.dir, 'report');
  /** npm writes nothing into the home, which may be read-only. */
  readonly #cache = ['--cache', join(this.dir, 'cache')];

  /**
   * Installs packages.
   *
   * @param isOverridden Whether the packed package of this workspace takes the place of hdr-histogram-js.
   */
  install(dependencies: Readonly<Record<string, string>>, isOverridden: boolean): void {
    const ours = isOverridden ? { 'hdr-histogram-js': `file:${this.#packed()}` } : {};
    const manifest =
      'hdr-histogram-js' in dependencies
        ? { dependencies: { ...dependencies, ...ours } }
        : { dependencies, overrides: ours };
    this.#npmInstall(manifest);
  }

  /** Installs packages with `both` in place of hdr-histogram-js, which uses both packages. */
  installBoth(dependencies: Readonly<Record<string, string>>): void {
    this.#npmInstall({
      dependencies: {
        ...dependencies,
        'hdr-theirs': 'npm:hdr-histogram-js@3.0.1',
        'hdr-ours': `file:${this.#packed()}`,
        'hdr-histogram-js': 'file:./both',
      },
      overrides: { 'hdr-histogram-js': '$hdr-histogram-js' },
    });
  }

  #npmInstall(manifest: object): void {
    writeFileSync(
      join(this.dir, 'package.json'),
      JSON.stringify({ name: 'project', private: true, ...manifest }),
    );
    const { status, stderr } = spawnSync(
      'npm',
      ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...this.#cache],
      {
        cwd: this.dir,
        encoding: 'utf8',
        timeout: 300_000,
      },
    );
    if (status !== 0) throw new Error(`npm cannot install: ${stderr}`);
  }

  #packed(): string {
    const [file] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', this.dir, ...this.#cache], {
        cwd: PACKAGE,
        encoding: 'utf8',
      }),
    ) as [{ filename: string }];
    return join(this.dir, file.filename);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true });
  }
}
