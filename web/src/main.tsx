import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/global.layer.css';
import './base.css';
import { createRoot } from 'react-dom/client';
import { currentPath, toPublicPath } from './basePath';
import { getLocale } from './messages/locale';
import { startupErrorText } from './messages/startupError';
import { hasStoredSession } from './api/sessionStorage';
import { loadLandingMessages } from './messages/landingMessages';
import { paths } from './paths';
import { forceLightPrint } from './printColorScheme';
import { Providers } from './Providers';

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no #root');
forceLightPrint();
const root = createRoot(container, { onUncaughtError: showStartupError });

// Entry point. The landing page needs no router, auth client, query cache or i18n library: they load with the first
// other page.
const loadApp = () => import('./App');
const loadLanding = () => import('./portals/public/landing/Landing');

/** Loads the auth client beside the app if there is a session in storage or in the URL. */
async function loadSession(hasCallback: boolean): Promise<void> {
  if (!hasCallback && !hasStoredSession()) return;
  const library = import('./api/authClient');
  const [session] = await Promise.all([import('./api/session'), library]);
  await session.loadAuth();
}

/** Starts the download of a portal beside that of the app, which would ask for it later. */
function prefetchPortal(): void {
  if (!hasStoredSession()) return;
  const portals: [start: string, load: () => Promise<unknown>][] = [
    [paths.employeeDashboard, () => import('./portals/employee/EmployeePortal')],
    [paths.requestManagement, () => import('./portals/employee/EmployeePortal')],
    [paths.clientDashboard, () => import('./portals/client/ClientPortal')],
    [paths.clientProfile, () => import('./portals/client/ClientPortal')],
    [paths.isoDashboard, () => import('./portals/iso/IsoPortal')],
    [paths.companyDashboard, () => import('./portals/company/CompanyPortal')],
    [paths.adminDashboard, () => import('./portals/admin/AdminPortal')],
  ];
  const portal = portals.find(([start]) => currentPath().startsWith(start));
  // A failure is reported by the route, which loads it again.
  portal?.[1]().catch(() => undefined);
  if (portal) void import('./messages').then((part) => part.loadPortalMessages()).catch(() => undefined);
}
const loadMessages = () => import('./messages').then((part) => part.loadMessages());

async function startApp(hasCallback = false) {
  const [{ App }] = await Promise.all([
    loadApp().then(async (part) => {
      await waitForFont('Inter Variable');
      return part;
    }),
    loadMessages(),
    loadSession(hasCallback),
  ]);
  root.render(
    <Providers>
      <App />
    </Providers>,
  );
}

/** Loads the font before the first text, with a short timeout, so that text neither shifts nor waits. */
async function waitForFont(family: string): Promise<void> {
  const font = document.fonts.load(`14px '${family}'`).catch(() => undefined);
  await Promise.race([font, new Promise((resolve) => setTimeout(resolve, 100))]);
}

async function navigate(path: string) {
  await loadApp();
  history.pushState(null, '', toPublicPath(path));
  await startApp();
}

async function startLanding() {
  const { hash, search } = location;
  // Mail links and provider callbacks: the app handles the session or error in the URL.
  const hasCallback = /\b(access_token|code|error_code)=/.test(search + hash);
  if (currentPath() !== paths.landing || hasCallback) {
    prefetchPortal();
    return startApp(hasCallback);
  }
  const [{ Landing }] = await Promise.all([
    loadLanding(),
    loadLandingMessages(),
    waitForFont('Inter Landing'),
  ]);
  root.render(
    <Providers>
      <Landing go={(path) => void navigate(path)} warm={() => void loadApp()} />
    </Providers>,
  );
  return undefined;
}

/** Shows an error instead of a blank page. */
function showStartupError(error: unknown) {
  console.error(error);
  const words = startupErrorText(getLocale().language);
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

// Not awaited: App may share chunks with this file, which would deadlock.
startLanding().catch(showStartupError);
