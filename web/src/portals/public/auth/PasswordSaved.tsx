import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import type { Role } from '../../../api/types';
import { homeOf, paths, type Portal } from '../../../paths';
import { Go } from '../frame/Go';
import button from '../frame/Button.module.css';
import { Task } from './Task';
import css from './Task.module.css';

const portals: Record<Role, Portal> = {
  client: 'client',
  iso: 'iso',
  employee: 'employee',
  super_admin: 'employee',
  company_admin: 'company',
};

/** The link's session goes on, so the dashboard is one click away; signing in anew works too. */
export function PasswordSaved() {
  const { t } = useTranslation('public');
  // Undefined until it is known: a button that comes later would push the others away from under the pointer.
  const [role, setRole] = useState<Role | null>();
  useEffect(() => {
    body(api.GET('/rest/v1/me')).then(
      (me) => setRole(me.role),
      () => setRole(null),
    );
  }, []);
  return (
    <Task title={t('saved.title')} lead={<span role="status">{t('saved.text')}</span>}>
      <div className={css.actions}>
        {role && (
          <Go to={homeOf(role)} className={button.primary}>
            {t('success.continue')}
          </Go>
        )}
        {role !== undefined && (
          <Go to={role ? paths.login(portals[role]) : paths.portalSelector} className={button.default}>
            {t('saved.sign_in')}
          </Go>
        )}
      </div>
    </Task>
  );
}
