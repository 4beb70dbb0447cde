import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/global.layer.css';
import './base.css';
import { createRoot } from 'react-dom/client';
import { loadMessages } from './messages';
import { paths } from './paths';
import { Landing } from './portals/public/landing/Landing';
import { Providers } from './Providers';

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no #root');
const root = createRoot(container);

// The landing page needs no router, auth client or query cache: they come with the first other page.
const loadApp = () => import('./App');

async function startApp() {
  const [{ App }] = await Promise.all([loadApp(), loadMessages('app')]);
  root.render(
    <Providers>
      <App />
    </Providers>,
  );
}

async function go(path: string) {
  await loadApp();
  history.pushState(null, '', path);
  await startApp();
}

async function start() {
  const { pathname, hash, search } = location;
  const comesFromMail = hash.includes('access_token') || search.includes('code=');
  if (pathname !== paths.landing || comesFromMail) return startApp();
  await loadMessages('landing');
  root.render(
    <Providers>
      <Landing go={(path) => void go(path)} warm={() => void loadApp()} />
    </Providers>,
  );
  return undefined;
}

// Not awaited: App may share code with this file, and would wait for it while it waits for App.
void start();
