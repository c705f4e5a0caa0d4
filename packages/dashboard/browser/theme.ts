import type { ThemeName } from '@hdrscope/plot';
import { choice } from './dom.ts';

type Wanted = 'auto' | ThemeName;

const KEY = 'hdrscope-theme';
const isDark = window.matchMedia('(prefers-color-scheme: dark)');

/** Which theme is shown. */
export function currentTheme(): ThemeName {
  const wanted = document.documentElement.dataset.theme;
  if (wanted === 'light' || wanted === 'dark') return wanted;
  return isDark.matches ? 'dark' : 'light';
}

/** The switch of the themes, with what the person has taken before. */
export function themeSwitch(onChange: () => void): HTMLElement {
  const wanted = remembered();
  document.documentElement.dataset.theme = wanted;
  isDark.addEventListener('change', onChange);
  return choice('Theme', { auto: 'Auto', light: 'Light', dark: 'Dark' }, wanted, (taken) => {
    document.documentElement.dataset.theme = taken;
    remember(taken);
    onChange();
  });
}

function remembered(): Wanted {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'auto';
  } catch {
    return 'auto';
  }
}

function remember(wanted: Wanted): void {
  try {
    localStorage.setItem(KEY, wanted);
  } catch {
    // Nothing may be kept here: it holds until the page is left.
  }
}
