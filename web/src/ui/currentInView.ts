/**
 * Ref of a row of tabs or links: on a phone, scrolls it sideways to the current one. When the row is laid out, when
 * another becomes current, and when the numbers of rows arrive and move it.
 */
export function keepCurrentInView(row: HTMLElement | null): (() => void) | undefined {
  if (!row) return undefined;
  const layout = new ResizeObserver(() => scrollToCurrent(row));
  layout.observe(row);
  const changes = new MutationObserver(() => scrollToCurrent(row));
  const attributeFilter = ['aria-selected', 'aria-current'];
  changes.observe(row, { subtree: true, childList: true, characterData: true, attributeFilter });
  return () => {
    layout.disconnect();
    changes.disconnect();
  };
}

function scrollToCurrent(row: HTMLElement): void {
  const tab = row.querySelector('[aria-selected="true"], [aria-current="page"]');
  if (!tab) return;
  const [inner, outer] = [tab.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
}
