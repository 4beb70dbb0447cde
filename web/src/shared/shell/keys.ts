/** Whether shortcuts use the command key. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Name of a shortcut with the modifier of the platform. */
export function commandKey(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl ${key}`;
}
