import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/global.layer.css';
import './base.css';
import { createRoot } from 'react-dom/client';
import { getLocale } from './messages/locale';
import { startupErrorText } from './messages/startupError';
import { loadLandingMessages } from './messages/landingMessages';
import { paths } from './paths';
import { usePrintColorScheme } from './printColorScheme';
import { Landing } from './portals/public/landing/Landing';
import { Providers } from './Providers';

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no #root');
usePrintColorScheme();
const root = createRoot(container, { onUncaughtError: showStartupError });

// The landing page needs no router, auth client, query cache or catalogue library: they come with the first other page.
const loadApp = () => import('./App');
const loadMessages = () => import('./messages').then((part) => part.loadMessages());

async function startApp() {
  const [{ App }] = await Promise.all([loadApp().then(waitForFont), loadMessages()]);
  root.render(
    <Providers>
      <App />
    </Providers>,
  );
}

/** The font is asked for before the first text is there, which waits for it a moment: most often nothing changes later. */
async function waitForFont<Part>(part: Part): Promise<Part> {
  const font = document.fonts.load("14px 'Inter Variable'").catch(() => undefined);
  await Promise.race([font, new Promise((resolve) => setTimeout(resolve, 100))]);
  return part;
}

async function navigate(path: string) {
  await loadApp();
  history.pushState(null, '', path);
  await startApp();
}

async function startLanding() {
  const { pathname, hash, search } = location;
  // A link of a mail or the way back from a provider: the session or the refusal it brings is the app's to read.
  const brings = /\b(access_token|code|error_code)=/.test(search + hash);
  if (pathname !== paths.landing || brings) return startApp();
  await loadLandingMessages();
  root.render(
    <Providers>
      <Landing go={(path) => void navigate(path)} warm={() => void loadApp()} />
    </Providers>,
  );
  return undefined;
}

/** Says that nothing could be shown: a blank page says nothing. */
function showStartupError(error: unknown) {
  console.error(error);
  const words = startupErrorText(getLocale().language);
  const text = document.createElement('p');
  text.setAttribute('role', 'alert');
  text.textContent = words.text;
  const again = document.createElement('button');
  again.textContent = words.again;
  again.addEventListener('click', () => location.reload());
  const main = document.createElement('main');
  main.className = 'failed';
  main.append(text, again);
  document.body.replaceChildren(main);
}

// Not awaited: App may share code with this file, and would wait for it while it waits for App.
startLanding().catch(showStartupError);
