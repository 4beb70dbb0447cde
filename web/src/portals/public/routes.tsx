import type { ComponentType, ReactElement } from 'react';
import { useNavigate, type RouteObject } from 'react-router-dom';
import { paths, type Portal } from '../../paths';
import { requireStep, guardedHandle } from '../../shared/session/guard';
import { callbackLoader } from './auth/callbackLoader';
import { Landing } from './landing/Landing';

function LandingRoute() {
  const navigate = useNavigate();
  return <Landing go={(path) => void navigate(path)} />;
}

const portals: Portal[] = ['client', 'employee', 'company', 'iso'];
const operatorPages = ['pricing', 'careers', 'privacy'] as const;

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
  lazy: () => import('./frame/PublicLayout'),
  children: [
    { path: paths.about, lazy: () => import('./pages/AboutPage') },
    { path: paths.security, lazy: () => import('./pages/SecurityPage') },
    { path: paths.help, lazy: () => import('./pages/HelpPage') },
    { path: paths.contact, lazy: () => import('./pages/ContactPage') },
    { path: paths.apiDocs, lazy: () => import('./apidocs/ApiDocsPage') },
    ...operatorPages.map((name) =>
      page(paths[name], async () => {
        const { OperatorPage } = await import('./pages/OperatorPage');
        return <OperatorPage key={name} page={name} />;
      }),
    ),
  ],
};

const tasks: RouteObject = {
  lazy: () => import('./frame/MinimalLayout'),
  children: [
    { path: paths.portalSelector, lazy: () => import('./auth/PortalSelectorPage') },
    { path: paths.employeePortal, lazy: () => import('./auth/EmployeePortalPage') },
    { path: paths.signup, lazy: () => import('./auth/SignupPage') },
    { path: paths.forgotPassword, lazy: () => import('./auth/ForgotPasswordPage') },
    { path: paths.resetPassword, lazy: () => import('./auth/ResetPasswordPage') },
    { path: paths.confirm, lazy: () => import('./auth/ConfirmPage') },
    step(paths.mfa, () => import('./auth/MfaPage')),
    step(paths.mfaSetup, () => import('./auth/MfaSetupPage')),
    step(paths.newPassword, () => import('./auth/NewPasswordPage')),
    { path: paths.success, lazy: () => import('./SuccessPage') },
    { path: paths.unsubscribe, lazy: () => import('./UnsubscribePage') },
    ...portals.flatMap((portal) => [
      page(paths.login(portal), async () => {
        const { LoginPage } = await import('./auth/LoginPage');
        return <LoginPage key={portal} portal={portal} />;
      }),
      page(paths.signupFor(portal), async () => {
        const { ApplyPage } = await import('./apply/ApplyPage');
        return <ApplyPage key={portal} portal={portal} />;
      }),
    ]),
  ],
};

export const publicRoutes: RouteObject[] = [
  { path: paths.landing, loader: callbackLoader, element: <LandingRoute /> },
  articles,
  tasks,
  { path: '*', lazy: () => import('./NotFound') },
];
