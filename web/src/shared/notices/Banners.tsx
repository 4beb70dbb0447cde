import { Button } from '@mantine/core';
import { IconBarrierBlock, IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  endImpersonation,
  leaveImpersonation,
  currentImpersonation,
  type Impersonation,
} from '../../api/impersonation';
import { settingsQuery } from '../../api/sessionQueries';
import classes from './Banners.module.css';
import { Prose } from '../../ui/Prose';

/** Maintenance banner on every page. */
export function MaintenanceBanner() {
  const { t } = useTranslation('common');
  // Maintenance sends no event to clients, so it is polled.
  const { data: settings } = useQuery({ ...settingsQuery(), staleTime: 30_000, refetchInterval: 60_000 });
  const maintenance = settings?.maintenance;
  return (
    <div role="status">
      {maintenance && (
        <div className={classes.maintenance}>
          <IconBarrierBlock size={18} stroke={1.75} aria-hidden="true" />
          <p>
            <strong>{t('maintenance.title')}</strong>{' '}
            <Prose>{maintenance.message ?? t('maintenance.text')}</Prose>
          </p>
        </div>
      )}
    </div>
  );
}

/** Impersonation banner on every page. */
export function ImpersonationBanner() {
  const [impersonation] = useState(currentImpersonation);
  return impersonation ? <Banner impersonation={impersonation} /> : null;
}

function Banner({ impersonation }: { impersonation: Impersonation }) {
  const { t } = useTranslation('common');
  const left = () => Math.max(0, Math.ceil((Date.parse(impersonation.until) - Date.now()) / 60_000));
  const [minutes, setMinutes] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => {
      const now = left();
      setMinutes(now);
      if (now === 0) void leaveImpersonation();
    }, 5_000);
    return () => clearInterval(timer);
  });
  return (
    <aside className={classes.looking} aria-label={t('looking.label')}>
      <IconEye size={18} stroke={1.75} aria-hidden="true" />
      <p>
        <strong>{t('looking.as', { name: impersonation.name })}</strong> {t('looking.text')}{' '}
        <span className="num">{t('looking.left', { count: minutes })}</span>
      </p>
      <Button size="compact-sm" variant="white" color="dark" onClick={() => void endImpersonation()}>
        {t('looking.end')}
      </Button>
    </aside>
  );
}
