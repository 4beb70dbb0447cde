/** Saves a text as a file, as a download would. */
export function saveText(name: string, text: string): void {
  saveBlob(name, new Blob([`${text}\n`], { type: 'text/plain;charset=utf-8' }));
}

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the browser reads it after the click has been dealt with.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
