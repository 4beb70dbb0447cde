import { useEffect, useState } from 'react';
import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { paths } from '../../paths';
import { isOwnPath } from '../../shared/returnPath';
import { AppLink } from './frame/AppLink';
import { AuthCard } from './auth/AuthCard';
import task from './auth/AuthCard.module.css';
import button from './frame/Button.module.css';
import css from './SuccessPage.module.css';

const REDIRECT_SECONDS = 5;
const sampleReference = 'SPV-2026-001';
const sampleTime = '2.3';

export function Component() {
  const { t } = useTranslation('public');
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const param = (name: string) => query.get(name)?.trim() || null;
  const redirectParam = query.get('redirect');
  const target = redirectParam && isOwnPath(redirectParam) ? redirectParam : paths.clientDashboard;
  const toPage = target === paths.clientDashboard ? '' : '_page';
  const [left, setLeft] = useState(REDIRECT_SECONDS);
  const [stopped, setStopped] = useState(false);

  useEffect(() => {
    if (stopped) return;
    const leave = setTimeout(() => void navigate(target), REDIRECT_SECONDS * 1000);
    const count = setInterval(() => setLeft((now) => Math.max(now - 1, 0)), 1000);
    return () => {
      clearTimeout(leave);
      clearInterval(count);
    };
  }, [navigate, stopped, target]);

  return (
    <AuthCard
      title={t('success.title')}
      lead={<span role="status">{t(`success.${stopped ? 'stopped' : 'text'}${toPage}`)}</span>}
    >
      <dl className={css.facts}>
        <div>
          <dt>{t('success.status')}</dt>
          <dd className={css.complete}>
            <IconCheck size={16} stroke={2} aria-hidden="true" />
            {t('success.complete')}
          </dd>
        </div>
        <div>
          <dt>{t('success.time')}</dt>
          <dd>{t('success.seconds', { time: param('time') ?? sampleTime })}</dd>
        </div>
        <div>
          <dt>{t('success.reference')}</dt>
          <dd className={css.reference}>{param('ref') ?? sampleReference}</dd>
        </div>
      </dl>
      <div className={task.actions}>
        <AppLink to={target} className={button.primary}>
          {t('success.continue')}
        </AppLink>
        {!stopped && (
          <Button variant="default" h={40} onClick={() => setStopped(true)}>
            {t('success.stop', { left })}
          </Button>
        )}
      </div>
    </AuthCard>
  );
}
