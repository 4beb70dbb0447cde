/** Startup error text, inlined because the catalogues may have failed to load. */
import { catalogueFor, type Catalogue, type Language } from './locale';

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

export const startupErrorText = (language: Language) => texts[catalogueFor(language)];
