/**
 * Ref of a row of tabs or links that scrolls sideways: centers the current one when the row is laid out, when another
 * becomes current, and when row counts arrive in the tabs. Not after the user has scrolled the row, until another becomes
 * current.
 */
export function keepCurrentInView(row: HTMLElement | null): (() => void) | undefined {
  if (!row) return undefined;
  let shown: Element | null = null;
  let left = 0;
  const show = () => {
    const current = row.querySelector('[aria-selected="true"], [aria-current="page"]');
    // A wider row limits the position by itself.
    const isScrolled = row.scrollLeft !== Math.min(left, row.scrollWidth - row.clientWidth);
    if (!current || (current === shown && isScrolled)) return;
    const [inner, outer] = [current.getBoundingClientRect(), row.getBoundingClientRect()];
    row.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
    shown = current;
    left = row.scrollLeft;
  };
  const layout = new ResizeObserver(show);
  layout.observe(row);
  const changes = new MutationObserver(show);
  const attributeFilter = ['aria-selected', 'aria-current'];
  changes.observe(row, { subtree: true, childList: true, characterData: true, attributeFilter });
  return () => {
    layout.disconnect();
    changes.disconnect();
  };
}
