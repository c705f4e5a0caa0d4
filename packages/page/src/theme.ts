import type { ThemeName } from '@hdrscope/plot/internal';
import { choice } from './dom.ts';
import { remember, remembered } from './preference.ts';

type Wanted = 'auto' | ThemeName;

const KEY = 'hdrscope-theme';
const isDark = window.matchMedia('(prefers-color-scheme: dark)');

/** The theme that is shown. */
export function currentTheme(): ThemeName {
  const wanted = document.documentElement.dataset.theme;
  if (wanted === 'light' || wanted === 'dark') return wanted;
  return isDark.matches ? 'dark' : 'light';
}

/** The switch of the themes, set to the last choice. */
export function themeSwitch(onChange: () => void): HTMLElement {
  const kept = remembered(KEY);
  const wanted: Wanted = kept === 'light' || kept === 'dark' ? kept : 'auto';
  document.documentElement.dataset.theme = wanted;
  isDark.addEventListener('change', onChange);
  return choice('Theme', { auto: 'Auto', light: 'Light', dark: 'Dark' }, wanted, (taken) => {
    document.documentElement.dataset.theme = taken;
    remember(KEY, taken);
    onChange();
  }).element;
}
