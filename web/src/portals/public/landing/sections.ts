export const sections = ['features', 'solutions', 'about', 'contact'] as const;
export type Section = (typeof sections)[number];

/** Scrolls and moves the focus, so that Tab continues there. */
export function scrollToSection(id: Section) {
  const section = document.getElementById(id);
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  section?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth' });
  section?.focus({ preventScroll: true });
}

/** The browser resolves the anchor of the URL before the page is rendered. */
export function scrollToAnchor() {
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
