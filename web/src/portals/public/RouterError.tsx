import { useEffect, useLayoutEffect } from 'react';
import { isRouteErrorResponse, useRouteError } from 'react-router-dom';
import { useTranslation } from 'react-i18next';
import { toPublicPath } from '../../basePath';
import { paths } from '../../paths';
import { Logo } from '../../ui/Logo';
import { removeShell } from '../../shell';
import button from './frame/Button.module.css';
import css from './NotFound.module.css';

function errorDescription(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`.trim();
  return error instanceof Error ? error.message : String(error);
}

/** A chunk is gone or did not arrive, in the words of each browser: most often the portal was updated meanwhile. */
const LOAD_ERROR = /preload CSS|dynamically imported module|module script/i;

/** Router error page: no stack trace, and plain links that reload the app. */
export function RouterError() {
  const { t } = useTranslation('public');
  const error = useRouteError();
  const description = errorDescription(error);
  useLayoutEffect(removeShell, []);
  useEffect(() => console.error(error), [error]);
  return (
    <main className={css.page}>
      <Logo size={32} />
      <div className={css.message} role="alert">
        <h1>{t('router_error.title')}</h1>
        <p className={css.text}>{LOAD_ERROR.test(description) ? t('router_error.load') : description}</p>
        <div className={css.actions}>
          <button type="button" className={button.primary} onClick={() => location.reload()}>
            {t('router_error.reload')}
          </button>
          <a href={toPublicPath(paths.landing)} className={button.default}>
            {t('not_found.home')}
          </a>
        </div>
      </div>
    </main>
  );
}
