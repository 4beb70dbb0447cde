/** Downloads a text as a file. */
export function saveText(name: string, text: string): void {
  saveBlob(name, new Blob([`${text}\n`], { type: 'text/plain;charset=utf-8' }));
}

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Deferred: the browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
