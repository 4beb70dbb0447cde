/** Prints in the light scheme, black on white, whichever scheme the screen has. */

const attribute = 'data-mantine-color-scheme';

export function printInLight(): void {
  const root = document.documentElement;
  let screen: string | null = null;
  const toPaper = () => {
    screen ??= root.getAttribute(attribute);
    root.setAttribute(attribute, 'light');
  };
  const toScreen = () => {
    if (screen !== null) root.setAttribute(attribute, screen);
    screen = null;
  };
  addEventListener('beforeprint', toPaper);
  addEventListener('afterprint', toScreen);
  // Printing by a program changes the medium and has no such event.
  matchMedia('print').addEventListener('change', ({ matches }) => (matches ? toPaper() : toScreen()));
}
