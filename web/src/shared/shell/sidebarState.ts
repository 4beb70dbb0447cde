/** Collapsed sidebar, remembered on this device. public/scheme.js applies it before the first paint. */
import { useSyncExternalStore } from 'react';
import { browserStore } from '../../api/browserStorage';

const KEY = 'spv-sidebar';
const COLLAPSED = 'collapsed';
const listeners = new Set<() => void>();

const isCollapsed = () => document.documentElement.dataset.sidebar === COLLAPSED;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useSidebarCollapsed(): boolean {
  return useSyncExternalStore(subscribe, isCollapsed);
}

export function toggleSidebar(): void {
  if (isCollapsed()) {
    delete document.documentElement.dataset.sidebar;
    browserStore.removeItem(KEY);
  } else {
    document.documentElement.dataset.sidebar = COLLAPSED;
    browserStore.setItem(KEY, COLLAPSED);
  }
  for (const listener of listeners) listener();
}
