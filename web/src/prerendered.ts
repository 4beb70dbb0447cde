/**
 * The landing page as the build rendered it (tools/prerender.ts): plain HTML, with the links and the name of the operator.
 * React is loaded when the visitor first acts, and takes the HTML over.
 */
import { toPublicPath } from './basePath';
import type { Settings } from './api/types';
import { catalogueFor, getLocale, type Catalogue } from './messages/locale';
import { scrollToAnchor } from './portals/public/landing/sections';
import { loadSettings } from './api/publicSettings';
import { removeShell } from './shell';

const pages: Record<Catalogue, () => Promise<{ html: string }>> = {
  en: () => import('virtual:landing/en'),
  es: () => import('virtual:landing/es'),
};
/** As in the catalogue, until the operator has given another. */
const BRAND = 'SPV Portal';
/** Optional content is hidden if the settings are not there by then. */
const SETTINGS_TIMEOUT_MS = 1500;

const actions = [
  'pointermove',
  'pointerdown',
  'touchstart',
  'wheel',
  'scroll',
  'keydown',
  'focusin',
  'change',
] as const;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

function optionalSetting(settings: Settings | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], settings);
}

function parse(html: string, settings: Settings | undefined): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html
    .replaceAll('{{brand}}', escapeHtml(settings?.brand_name ?? BRAND))
    .replaceAll('{{year}}', String(new Date().getFullYear()));
  const { content } = template;
  for (const element of content.querySelectorAll<HTMLElement>('[data-setting]'))
    if (!optionalSetting(settings, element.dataset.setting ?? '')) element.remove();
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  for (const style of content.querySelectorAll('style')) style.nonce = nonce;
  for (const link of content.querySelectorAll('a[href^="/"]'))
    link.setAttribute('href', toPublicPath(link.getAttribute('href') ?? ''));
  for (const select of content.querySelectorAll('select')) select.value = getLocale().language;
  return content;
}

/** Shows the page; false if the build has none, as the development server. */
export async function showPrerendered(container: Element): Promise<boolean> {
  const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, SETTINGS_TIMEOUT_MS));
  const settings = Promise.race([loadSettings().catch(() => undefined), timeout]);
  const { html } = await pages[catalogueFor(getLocale().language)]();
  if (!html) return false;
  container.replaceChildren(parse(html, await settings));
  removeShell();
  scrollToAnchor();
  return true;
}

/** Calls `hydrate` at the first action of the visitor, and repeats the click or choice that came before. */
export function hydrateOnAction(
  container: Element,
  hydrate: (onMounted: () => void) => Promise<void>,
  onError: (error: unknown) => void,
): void {
  let repeat: (() => void) | undefined;
  const onClick = ({ target }: Event) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (button) repeat = () => button.click();
  };
  const onChange = ({ target }: Event) => {
    if (!(target instanceof HTMLSelectElement)) return;
    const { value } = target;
    repeat = () => {
      target.value = value;
      target.dispatchEvent(new Event('change', { bubbles: true }));
    };
  };
  const onMounted = () => {
    container.removeEventListener('click', onClick);
    container.removeEventListener('change', onChange);
    repeat?.();
  };
  const onAction = () => {
    for (const action of actions) removeEventListener(action, onAction, true);
    hydrate(onMounted).catch(onError);
  };
  container.addEventListener('click', onClick);
  container.addEventListener('change', onChange);
  for (const action of actions) addEventListener(action, onAction, { capture: true, passive: true });
}
