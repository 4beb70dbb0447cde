import type { ComponentType, ReactElement } from 'react';
import { useNavigate, type RouteObject } from 'react-router-dom';
import { loadAuth } from '../../api/session';
import { loadPortalMessages } from '../../messages';
import { loadLandingMessages } from '../../messages/landingMessages';
import { paths, type Portal } from '../../paths';
import { requireStep, guardedHandle } from '../../shared/session/guard';
import { callbackLoader } from './auth/callbackLoader';

type LandingPage = typeof import('./landing/Landing').Landing;

function LandingRoute({ Page }: { Page: LandingPage }) {
  const navigate = useNavigate();
  return <Page go={(path) => void navigate(path)} />;
}

const portals: Portal[] = ['client', 'employee', 'company', 'iso'];
const operatorPages = ['pricing', 'careers', 'privacy'] as const;

/** A page with controls and texts that sign-in does not need. */
function complete<Page>(load: () => Promise<Page>): () => Promise<Page> {
  return async () => {
    const [page] = await Promise.all([load(), import('../../shared/allStyles'), loadPortalMessages()]);
    return page;
  };
}

/** [complete] for a page that uses the auth client at once. */
function withAuth<Page>(load: () => Promise<Page>): () => Promise<Page> {
  return async () => {
    const [page] = await Promise.all([complete(load)(), loadAuth()]);
    return page;
  };
}

/** One page for several paths. */
const page = (path: string, load: () => Promise<ReactElement>): RouteObject => ({
  path,
  lazy: async () => ({ element: await load() }),
});

/** Page of a sign-in requirement. */
const step = (path: string, lazy: () => Promise<{ Component: ComponentType }>): RouteObject => ({
  path,
  handle: guardedHandle,
  loader: requireStep(path),
  lazy,
});

const articles: RouteObject = {
  lazy: async () => {
    const [layout] = await Promise.all([
      complete(() => import('./frame/PublicLayout'))(),
      loadLandingMessages(),
    ]);
    return layout;
  },
  children: [
    { path: paths.about, lazy: complete(() => import('./pages/AboutPage')) },
    { path: paths.security, lazy: complete(() => import('./pages/SecurityPage')) },
    { path: paths.help, lazy: complete(() => import('./pages/HelpPage')) },
    { path: paths.contact, lazy: complete(() => import('./pages/ContactPage')) },
    { path: paths.apiDocs, lazy: complete(() => import('./apidocs/ApiDocsPage')) },
    ...operatorPages.map((name) =>
      page(paths[name], async () => {
        const { OperatorPage } = await complete(() => import('./pages/OperatorPage'))();
        return <OperatorPage key={name} page={name} />;
      }),
    ),
  ],
};

const tasks: RouteObject = {
  lazy: () => import('./frame/MinimalLayout'),
  children: [
    { path: paths.portalSelector, lazy: () => import('./auth/PortalSelectorPage') },
    { path: paths.employeePortal, lazy: complete(() => import('./auth/EmployeePortalPage')) },
    { path: paths.signup, lazy: complete(() => import('./auth/SignupPage')) },
    { path: paths.forgotPassword, lazy: withAuth(() => import('./auth/ForgotPasswordPage')) },
    { path: paths.resetPassword, lazy: withAuth(() => import('./auth/ResetPasswordPage')) },
    { path: paths.confirm, lazy: withAuth(() => import('./auth/ConfirmPage')) },
    { path: paths.secureAccount, lazy: complete(() => import('./auth/SecureAccountPage')) },
    step(
      paths.mfa,
      withAuth(() => import('./auth/MfaPage')),
    ),
    step(
      paths.mfaSetup,
      withAuth(() => import('./auth/MfaSetupPage')),
    ),
    step(
      paths.newPassword,
      withAuth(() => import('./auth/NewPasswordPage')),
    ),
    { path: paths.success, lazy: complete(() => import('./SuccessPage')) },
    { path: paths.unsubscribe, lazy: complete(() => import('./UnsubscribePage')) },
    ...portals.flatMap((portal) => [
      page(paths.login(portal), async () => {
        const { LoginPage } = await import('./auth/LoginPage');
        return <LoginPage key={portal} portal={portal} />;
      }),
      page(paths.signupFor(portal), async () => {
        const { ApplyPage } = await complete(() => import('./apply/ApplyPage'))();
        return <ApplyPage key={portal} portal={portal} />;
      }),
    ]),
  ],
};

export const publicRoutes: RouteObject[] = [
  {
    path: paths.landing,
    loader: callbackLoader,
    lazy: async () => {
      const [{ Landing }] = await Promise.all([import('./landing/Landing'), loadLandingMessages()]);
      return { element: <LandingRoute Page={Landing} /> };
    },
  },
  articles,
  tasks,
  { path: '*', lazy: complete(() => import('./NotFound')) },
];
