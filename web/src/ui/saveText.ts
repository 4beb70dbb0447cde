/** Saves a text as a file, as a download would. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the browser reads it after the click has been dealt with.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
