import { FONTS, THEMES, type ThemeName } from '../chart/theme.ts';

function variablesOf(name: ThemeName): string {
  const { background, text, mutedText, grid } = THEMES[name];
  return `color-scheme:${name};--background:${background};--text:${text};--muted:${mutedText};--line:${grid}`;
}

/** The styles of a page of plots, in the colours of the charts. */
export const STYLE: string = `
:root{${variablesOf('light')}}
@media (prefers-color-scheme:dark){:root{${variablesOf('dark')}}}
:root[data-theme="light"]{${variablesOf('light')}}
:root[data-theme="dark"]{${variablesOf('dark')}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:1400px;background:var(--background);color:var(--text);font:14px/1.5 ${FONTS}}
header{display:flex;align-items:center;justify-content:space-between;gap:1rem}
h1{font-size:1.3rem;margin:.2rem 0;overflow-wrap:anywhere}
button{font:inherit;min-height:1.75rem;padding:.2rem .7rem;color:inherit;background:none;border:1px solid var(--muted);border-radius:4px;cursor:pointer}
.curves{display:flex;flex-wrap:wrap;gap:.4rem;margin-bottom:.5rem}
.curves button{max-width:100%;overflow-wrap:anywhere;text-align:left}
.curves button[aria-pressed="false"]{text-decoration:line-through;border-style:dashed}
figure{margin:1rem 0 2rem}
.plot{width:100%;min-width:0}
.hint,summary{color:var(--muted)}
summary{cursor:pointer;margin-top:.4rem}
.table{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
.table th,.table td{padding:.15rem .8rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
.table th[scope="row"]{font-weight:normal;text-align:left}
@media print{
:root,:root[data-theme]{${variablesOf('light')}}
button,.curves,.hint,details:not([open]){display:none}
figure{break-inside:avoid}
}
`;
