/** Whether it worked. Browsers have the clipboard on https and localhost only; elsewhere the old command is left. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  // Beside what has the focus: a dialog would take the focus back from a place outside of it.
  const place = focused?.parentElement ?? document.body;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'sr-only';
  field.readOnly = true;
  place.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
