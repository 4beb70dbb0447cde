/** Prints in the light scheme, black on white, whichever scheme the screen has. */

const SCHEME_ATTRIBUTE = 'data-mantine-color-scheme';

export function usePrintColorScheme(): void {
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
  // Printing by a program changes the medium and has no such event.
  matchMedia('print').addEventListener('change', ({ matches }) => (matches ? toPaper() : toScreen()));
}
