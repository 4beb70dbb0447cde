import type { CSSVariablesResolver, MantineThemeOverride } from '@mantine/core';

/**
 * Theme: the only file with colors and sizes. Components are plain objects, because `.extend` would pull them into the
 * landing page.
 */

export const systemFont =
  "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', sans-serif";
/** Fallback for Inter until it is loaded (base.css). */
const font = `'Inter Variable', 'Inter Fallback', ${systemFont}`;
const mono = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace";

type Pair = readonly [light: string, dark: string];
type Tone = { bg: Pair; text: Pair };
export const tones = {
  wait: { bg: ['#fff4d6', '#33270a'], text: ['#7a4b00', '#f5c451'] },
  live: { bg: ['#dff5ee', '#0c2b23'], text: ['#0b5c45', '#5fd3ac'] },
  work: { bg: ['#e4ebff', '#182347'], text: ['#1f3fae', '#a3b8ff'] },
  done: { bg: ['#e2f4e3', '#122a16'], text: ['#1d5c27', '#7bd389'] },
  stop: { bg: ['#fde6e6', '#3a1517'], text: ['#9b1c1c', '#ff9d9d'] },
  rest: { bg: ['#eceef1', '#23282e'], text: ['#414a55', '#b4bac2'] },
} satisfies Record<string, Tone>;
export type ToneName = keyof typeof tones;

const surfaces: Record<string, Pair> = {
  '--mantine-color-body': ['#ffffff', '#101214'],
  '--mantine-color-text': ['#1d2229', '#e6e8eb'],
  '--mantine-color-dimmed': ['#5f6975', '#9aa1ab'],
  '--mantine-color-placeholder': ['#6b7480', '#8b939d'],
  '--mantine-color-anchor': ['#2748c4', '#a3b8ff'],
  '--mantine-color-error': ['#b42323', '#ff9d9d'],
  // Of a disabled button or field: Mantine's dark one is the color of the card.
  '--mantine-color-disabled': ['var(--mantine-color-gray-2)', '#23282e'],
  '--mantine-color-default-border': ['#d8dce1', '#2b3037'],
  '--spv-surface': ['#ffffff', '#17191d'],
  '--spv-sunken': ['#f8f9fa', '#131518'],
  '--spv-raised': ['#ffffff', '#1f2328'],
  '--spv-border': ['#e6e9ec', '#2b3037'],
  '--spv-hover': ['#f5f7f9', '#1c1f24'],
  '--spv-selected': ['#eef2ff', '#1a2242'],
  '--spv-accent': ['#2748c4', '#a3b8ff'],
  '--spv-accent-fill': ['#2748c4', '#3a5fdf'],
  '--spv-edge': ['rgb(29 34 41 / 16%)', 'rgb(0 0 0 / 70%)'],
  '--spv-track': ['#e6e9ec', '#2b3037'],
  // The first series is the loudest in both schemes; lightness differs, for print in grey.
  '--spv-chart-first': ['#2748c4', '#8aa2fb'],
  '--spv-chart-second': ['#7a93ec', '#52639f'],
  '--spv-chart-third': ['#0f7a5c', '#3f9c7d'],
  '--spv-chart-fourth': ['#b8862c', '#8a6a1f'],
  '--spv-chart-before': ['#7b8490', '#838b95'],
  '--spv-part-wait': ['#e3b341', '#c4952f'],
  '--spv-part-live': ['#37a887', '#3f9c7d'],
  '--spv-part-work': ['#4f71e8', '#5f80f0'],
  '--spv-part-done': ['#1d5c27', '#2f7d3c'],
  '--spv-part-stop': ['#b42323', '#c94f4f'],
  '--spv-part-rest': ['#9aa1ab', '#5f6975'],
};

function scheme(side: 0 | 1): Record<string, string> {
  const vars: Record<string, string> = {};
  for (const [name, pair] of Object.entries(surfaces)) vars[name] = pair[side];
  for (const [name, tone] of Object.entries(tones)) {
    vars[`--spv-tone-${name}-bg`] = tone.bg[side];
    vars[`--spv-tone-${name}-text`] = tone.text[side];
  }
  return vars;
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--spv-font-system': systemFont,
    '--spv-control': '32px',
    '--spv-control-touch': '44px',
    '--spv-topbar': '48px',
    '--spv-sidebar': '220px',
    '--spv-bottombar': '56px',
    '--spv-content': '1280px',
  },
  light: scheme(0),
  dark: scheme(1),
});

/**
 * Focuses a menu before the next key. In a microtask, because Mantine first notes in an effect where the focus returns to;
 * its own focus comes in a timer, and then goes to the item that has the focus already (`data-autofocus`).
 */
const focusMenu = (menu: HTMLElement | null) => {
  menu?.addEventListener('focusin', ({ target }) => {
    menu.querySelector('[data-autofocus]')?.removeAttribute('data-autofocus');
    if (target instanceof HTMLElement) target.dataset.autofocus = 'true';
  });
  queueMicrotask(() =>
    menu?.querySelector<HTMLElement>('[data-menu-item]:not([data-disabled])')?.focus({ preventScroll: true }),
  );
};

/** The heading of a dialog is not the banner of the page. */
const dialogAttributes = { header: { role: 'none' } };

export const theme: MantineThemeOverride = {
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 6 },
  colors: {
    brand: [
      '#eef2ff',
      '#dde5ff',
      '#bccbff',
      '#95adff',
      '#6f8dfa',
      '#4f71e8',
      '#3a5fdf',
      '#2748c4',
      '#203b9f',
      '#1a2f7d',
    ],
    gray: [
      '#f8f9fa',
      '#f1f3f5',
      '#e6e9ec',
      '#d8dce1',
      '#c1c7ce',
      '#9aa1ab',
      '#7b8490',
      '#5f6975',
      '#414a55',
      '#1d2229',
    ],
    dark: [
      '#e6e8eb',
      '#c3c8ce',
      '#9aa1ab',
      '#838b95',
      '#2b3037',
      '#23282e',
      '#17191d',
      '#101214',
      '#0c0e10',
      '#08090a',
    ],
    red: [
      '#fff1f1',
      '#fde6e6',
      '#f9c8c8',
      '#f39b9b',
      '#e96a6a',
      '#dc4444',
      '#c93030',
      '#b42323',
      '#9b1c1c',
      '#7d1717',
    ],
  },
  fontFamily: font,
  fontFamilyMonospace: mono,
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '40px' },
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'sm',
  headings: {
    fontFamily: font,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '1.3' },
      h2: { fontSize: '16px', lineHeight: '1.4' },
      h3: { fontSize: '14px', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  components: {
    Badge: { defaultProps: { tt: 'none', variant: 'light', radius: 'sm', fw: 500 } },
    Button: { defaultProps: { size: 'sm', fw: 500 } },
    Card: { defaultProps: { withBorder: true, radius: 'md', padding: 'md', shadow: 'none' } },
    Modal: {
      defaultProps: {
        radius: 'lg',
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        transitionProps: { transition: 'pop', duration: 180 },
        attributes: dialogAttributes,
      },
    },
    Drawer: { defaultProps: { attributes: dialogAttributes } },
    Menu: {
      defaultProps: {
        withInitialFocusPlaceholder: false,
        // Opens at once and takes the focus at once: no key is lost between, or has a row below as its target.
        transitionProps: { duration: 0 },
        clickOutsideEvents: ['mousedown', 'touchstart'],
        shadow: 'md',
        radius: 'md',
        width: 220,
      },
    },
    MenuDropdown: { defaultProps: { ref: focusMenu } },
    // Rows inserted above shift a row: keep its menu or list open and attached.
    Popover: { defaultProps: { hideDetached: false, shadow: 'md', radius: 'md' } },
    Notification: { defaultProps: { radius: 'md', withBorder: true } },
    Progress: { defaultProps: { size: 6, radius: 'xl' } },
    Table: { defaultProps: { verticalSpacing: 8 } },
    Tooltip: {
      defaultProps: { openDelay: 700, events: { hover: true, focus: true, touch: false }, radius: 'sm' },
    },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show password' } } },
  },
};
