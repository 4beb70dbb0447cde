/** Print color scheme: always light, whatever the screen uses. */

const SCHEME_ATTRIBUTE = 'data-mantine-color-scheme';

export function forceLightPrint(): void {
  const root = document.documentElement;
  let screen: string | null = null;
  const toPaper = () => {
    screen ??= root.getAttribute(SCHEME_ATTRIBUTE);
    root.setAttribute(SCHEME_ATTRIBUTE, 'light');
  };
  const toScreen = () => {
    if (screen !== null) root.setAttribute(SCHEME_ATTRIBUTE, screen);
    screen = null;
  };
  addEventListener('beforeprint', toPaper);
  addEventListener('afterprint', toScreen);
  // Programmatic printing changes the media query without an event.
  matchMedia('print').addEventListener('change', ({ matches }) => (matches ? toPaper() : toScreen()));
}
