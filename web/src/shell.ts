/** The shell of index.html: shown until the first page is rendered. */
export function removeShell(): void {
  document.getElementById('shell')?.remove();
}
