/** Whether shortcuts use the command key. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Name of a shortcut with the modifier of the platform. */
export function commandKey(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl ${key}`;
}

/** Whether a key press types into a field, or belongs to an open dialog. */
export function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.matches('input, textarea, select, [role="combobox"], [role="textbox"]')
  );
}

/** Whether a dialog, menu or list is open: keys belong to it. */
export function isOverlayOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]') !== null;
}
