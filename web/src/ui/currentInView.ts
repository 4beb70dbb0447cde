/**
 * Ref of a row of tabs or links: on a phone, scrolls it sideways to the current one. When the row is laid out, when
 * another becomes current, and when the numbers of rows arrive and move it, unless the user has scrolled the row.
 */
export function keepCurrentInView(row: HTMLElement | null): (() => void) | undefined {
  if (!row) return undefined;
  let shown: Element | null = null;
  let left = 0;
  const show = () => {
    const current = row.querySelector('[aria-selected="true"], [aria-current="page"]');
    if (!current || (current === shown && row.scrollLeft !== left)) return;
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
