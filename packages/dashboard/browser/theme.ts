import type { ThemeName } from '@hdrscope/plot';
import { choice } from './dom.ts';

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
    // Without storage, the choice holds until the page is closed.
  }
}
