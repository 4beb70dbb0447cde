/** HTML of the landing page, for the build (tools/prerender.ts). */
import { renderToString } from 'react-dom/server';
import type { Settings } from './api/types';
import { loadLandingMessages } from './messages/landingMessages';
import { setLocale, type Catalogue } from './messages/locale';
import { Landing } from './portals/public/landing/Landing';
import { Providers } from './Providers';
import { setLoadedSettings } from './api/publicSettings';

/** Everything that the operator may turn on; `prerendered.ts` removes what is off. */
const settings = {
  brand_name: '{{brand}}',
  demo: true,
  pages: { careers: '…', pricing: '…', privacy: '…' },
} as Settings;

export async function renderLanding(catalogue: Catalogue): Promise<string> {
  setLocale({ language: catalogue === 'es' ? 'es' : 'en-US' });
  setLoadedSettings(settings);
  await loadLandingMessages();
  return renderToString(
    <Providers>
      <Landing go={() => undefined} prerendered />
    </Providers>,
  );
}
