/** Records that a user opened last, on this device. */
import { browserStore } from '../../api/browserStorage';

export interface RecentPage {
  path: string;
  title: string;
}

const MAX_PAGES = 8;
const PREFIX = 'spv-recent:';

export function recentPages(userId: string): RecentPage[] {
  try {
    const stored: unknown = JSON.parse(browserStore.getItem(PREFIX + userId) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isPage) : [];
  } catch {
    return [];
  }
}

export function addRecentPage(userId: string, page: RecentPage): void {
  const others = recentPages(userId).filter(({ path }) => path !== page.path);
  browserStore.setItem(PREFIX + userId, JSON.stringify([page, ...others].slice(0, MAX_PAGES)));
}

/** Forgets everything: titles are data of the user who signed out. */
export function clearRecentPages(): void {
  for (const key of browserStore.keys()) if (key.startsWith(PREFIX)) browserStore.removeItem(key);
}

function isPage(value: unknown): value is RecentPage {
  const page = value as Partial<RecentPage> | null;
  return typeof page?.path === 'string' && typeof page.title === 'string';
}
