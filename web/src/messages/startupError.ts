/** Startup error text, inlined because the catalogues may have failed to load. */
import { catalogueFor, getLocale, type Catalogue } from './locale';

const texts: Record<Catalogue, { text: string; again: string }> = {
  en: {
    text: 'This page could not be started. Check your connection, and whether the browser blocks scripts or storage for this site.',
    again: 'Try again',
  },
  es: {
    text: 'No se pudo iniciar esta página. Compruebe la conexión y si el navegador bloquea scripts o el almacenamiento de este sitio.',
    again: 'Intentar de nuevo',
  },
};

/** Shows an error instead of a blank page. */
export function showStartupError(error: unknown): void {
  console.error(error);
  const words = texts[catalogueFor(getLocale().language)];
  const text = document.createElement('p');
  text.setAttribute('role', 'alert');
  text.textContent = words.text;
  const retryButton = document.createElement('button');
  retryButton.textContent = words.again;
  retryButton.addEventListener('click', () => location.reload());
  const main = document.createElement('main');
  main.className = 'failed';
  main.append(text, retryButton);
  document.body.replaceChildren(main);
}
