import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/global.layer.css';
import './base.css';
import { currentPath, toPublicPath } from './basePath';
import { catalogueFor, getLocale } from './messages/locale';
import { showStartupError } from './messages/startupError';
import { hasStoredSession } from './api/sessionStorage';
import { loadSettings } from './api/publicSettings';
import { paths } from './paths';
import { forceLightPrint } from './printColorScheme';
import { hydrateOnAction, showPrerendered } from './prerendered';
import { readReturnPath } from './shared/returnPath';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
const container = root;
forceLightPrint();

// Entry point. Imports no React: the landing page is prerendered, and needs router, auth client, query cache and i18n
// library only with the first other page.
const loadStart = () => import('./start');
const loadApp = () => import('./App');
const loadLanding = () => import('./portals/public/landing/Landing');

/** Loads the auth client beside the app if there is a session in storage or in the URL, and the texts of a callback. */
async function loadSession(hasCallback: boolean): Promise<void> {
  if (!hasCallback && !hasStoredSession()) return;
  const library = import('./api/authClient');
  const errors = hasCallback && import('./messages').then((part) => part.loadPortalMessages());
  const [session] = await Promise.all([import('./api/session'), library, errors]);
  await session.loadAuth();
}

/** Texts that the app asks for when it runs: every page, and the frame of public pages. */
const appTexts = { en: () => import('./messages/en'), es: () => import('./messages/es') };
const frameTexts = {
  en: () => import('./messages/en/landing.json'),
  es: () => import('./messages/es/landing.json'),
};

/** Starts the download of the texts, the sign-in page or a portal beside that of the app, which would ask for it later. */
function prefetchPage(): void {
  // A failure is reported by the app, which loads it again.
  appTexts[catalogueFor(getLocale().language)]().catch(() => undefined);
  if (currentPath().startsWith('/auth/login/')) {
    loadSettings().catch(() => undefined);
    frameTexts[catalogueFor(getLocale().language)]().catch(() => undefined);
    import('./portals/public/auth/LoginPage').catch(() => undefined);
    import('./portals/public/frame/MinimalLayout').catch(() => undefined);
  }
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
  portal?.[1]().catch(() => undefined);
  if (portal) void import('./messages').then((part) => part.loadPortalMessages()).catch(() => undefined);
}
const loadMessages = () => import('./messages').then((part) => part.loadMessages());

async function startApp(hasCallback = false) {
  const [{ renderApp }, { App }] = await Promise.all([
    loadStart(),
    loadApp().then(async (part) => {
      await waitForFont('Inter Variable');
      return part;
    }),
    loadMessages(),
    loadSession(hasCallback),
  ]);
  renderApp(container, App);
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

async function startLanding(prerendered = false, onMounted?: () => void) {
  const [{ hydrateLanding, renderLanding }, { Landing }] = await Promise.all([
    loadStart(),
    loadLanding(),
    import('./messages/landingMessages').then((part) => part.loadLandingMessages()),
    waitForFont('Inter Landing'),
  ]);
  const draw = prerendered ? hydrateLanding : renderLanding;
  draw(container, Landing, { go: (path) => void navigate(path), warm: () => void loadApp(), onMounted });
}

async function start() {
  const { hash, search } = location;
  document.documentElement.lang = getLocale().language;
  // Mail links and provider callbacks: the app handles the session or error in the URL.
  const hasCallback = /\b(access_token|code|error_code)=/.test(search + hash);
  if (currentPath() !== paths.landing || hasCallback) {
    prefetchPage();
    return startApp(hasCallback);
  }
  // With a return path the access dialog is open.
  if (readReturnPath() !== null || !(await showPrerendered(container))) return startLanding();
  return hydrateOnAction(container, (onMounted) => startLanding(true, onMounted), showStartupError);
}

// Not awaited: App may share chunks with this file, which would deadlock.
start().catch(showStartupError);
