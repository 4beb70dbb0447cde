import { createContext } from 'react';

/** What a page header tells the frame around the page. */
export interface PageFrame {
  /** Element of the top bar for the breadcrumb; null until it is mounted. */
  trailSlot: HTMLElement | null;
  /** Name of the shown page; `isRecord` for a page below a list. */
  onPage: (title: string, isRecord: boolean) => void;
}

/** Null outside of portals. */
export const PageFrameContext = createContext<PageFrame | null>(null);
