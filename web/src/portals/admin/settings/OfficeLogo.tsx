import { Button, FileButton } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../../api/cache';
import { api, body } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Settings } from '../../../api/types';
import { useSave } from '../../../shared/useSave';
import { toast } from '../../../ui/toasts';
import classes from './settings.module.css';

/** The office's picture: at the head of its portals and of mails. It is saved as soon as it is chosen. */
export function OfficeLogo({ settings }: { settings: Settings }) {
  const { t } = useTranslation(['admin', 'company', 'common']);
  const save = useSave({
    save: (file: File | null) =>
      body(
        file
          ? api.PUT('/rest/v1/settings/logo', {
              // The bytes as they are: the generated type knows JSON alone.
              body: file as never,
              bodySerializer: (bytes: unknown) => bytes as BodyInit,
              headers: { 'content-type': 'application/octet-stream' },
            })
          : api.DELETE('/rest/v1/settings/logo'),
      ),
    saved: (saved) => {
      queryClient.setQueryData(queries.settings().queryKey, saved);
      toast({ title: t('settings.saved'), description: t('settings.saved_text') });
    },
  });
  // The same file again, after a failure or a removal, is a choice as well.
  const forget = useRef<() => void>(null);
  return (
    <div className={classes.logo} role="group" aria-label={t('settings.logo')}>
      {settings.logo ? (
        <img className={classes.picture} src={settings.logo} alt={t('settings.logo')} />
      ) : (
        <span className={`${classes.picture} ${classes.none}`} aria-hidden="true">
          <IconPhoto size={20} />
        </span>
      )}
      <p className={classes.logoText}>{t('settings.logo_text')}</p>
      <div className={classes.logoButtons}>
        <FileButton
          accept="image/png,image/jpeg"
          inputProps={{ 'aria-label': t('settings.logo') }}
          resetRef={forget}
          onChange={(file) => {
            if (file) save.mutate(file);
            forget.current?.();
          }}
        >
          {(props) => (
            <Button variant="default" disabled={save.isPending} {...props}>
              {save.isPending
                ? t('common:saving')
                : settings.logo
                  ? t('company:logo.replace')
                  : t('company:logo.choose')}
            </Button>
          )}
        </FileButton>
        {settings.logo && (
          <Button variant="default" disabled={save.isPending} onClick={() => save.mutate(null)}>
            {t('company:logo.remove')}
          </Button>
        )}
      </div>
    </div>
  );
}
