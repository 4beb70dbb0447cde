import { useForm, type UseFormReturnType } from '@mantine/form';
import i18next from 'i18next';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../../api/cache';
import { api, body } from '../../../api/client';
import type { ApiError } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { Settings, SettingsChange } from '../../../api/types';
import { isStale, StaleProblem } from '../../../shared/StaleProblem';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { Section } from '../../../ui/Section';
import { toast } from '../../../ui/toasts';
import classes from './settings.module.css';

interface Props<Values> {
  id?: string;
  title: string;
  settings: Settings;
  /** The fields of this card. */
  valuesOf: (settings: Settings) => Values;
  /** What is sent of them. */
  changeOf: (values: Values) => SettingsChange;
  above?: ReactNode;
  below?: ReactNode;
  children: (form: UseFormReturnType<Values>) => ReactNode;
}

/** One card of the office's settings: its fields, and one button that saves them. */
export function SettingsCard<Values extends object>(props: Props<Values>) {
  const { id, title, settings: opened, valuesOf, changeOf, above, below, children } = props;
  const { t } = useTranslation(['admin', 'common']);
  const [seen, setSeen] = useState(opened);
  const [stale, setStale] = useState<ApiError | null>(null);
  const form = useForm<Values>({ initialValues: valuesOf(opened) });
  const show = (newest: Settings) => {
    setSeen(newest);
    setStale(null);
    form.setInitialValues(valuesOf(newest));
    form.reset();
  };
  // Another card was saved meanwhile: that is no reason to refuse this one. What somebody else has changed here is.
  if (opened.version > seen.version) {
    if (JSON.stringify(valuesOf(opened)) === JSON.stringify(valuesOf(seen))) setSeen(opened);
    else if (!form.isDirty()) show(opened);
  }
  const save = useSave({
    form,
    save: (values: Values) =>
      body(
        api.PUT('/rest/v1/settings', {
          params: { header: { 'If-Match': `"${seen.version}"` } },
          body: changeOf(values),
        }),
      ),
    saved: (saved) => {
      show(saved);
      queryClient.setQueryData(queries.settings().queryKey, saved);
      void queryClient.invalidateQueries({ queryKey: ['dashboards'] });
      toast({
        title: i18next.t('admin:settings.saved'),
        description: i18next.t('admin:settings.saved_text'),
      });
    },
    explain: (error) => {
      if (isStale(error)) setStale(error);
      return isStale(error);
    },
  });
  const reload = async () => show(await queryClient.fetchQuery({ ...queries.settings(), staleTime: 0 }));
  return (
    <form id={id} aria-label={title} onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Section title={title}>
        <div className={classes.fields}>
          {above}
          {children(form)}
        </div>
        {stale && (
          <div role="alert" className={classes.problem}>
            <StaleProblem error={stale} onReload={() => void reload()} />
          </div>
        )}
        <div className={classes.footer}>
          {below}
          <BusyButton
            type="submit"
            busy={save.isPending}
            label={t('settings.save')}
            busyLabel={t('common:saving')}
          />
        </div>
      </Section>
    </form>
  );
}
