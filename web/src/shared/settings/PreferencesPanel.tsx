import { useMantineColorScheme } from '@mantine/core';
import { useForm } from '@mantine/form';
import i18next from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import type { Me, MeChange } from '../../api/types';
import { dateTime } from '../../messages/format';
import { languageNames, languages } from '../../messages/locale';
import { useLocale } from '../../messages/useLocale';
import { TimeZoneSelect } from '../geo/TimeZoneSelect';
import { useFormDraft } from '../drafts';
import { applyLanguage } from '../session/applyPreferences';
import { useMe } from '../session/me';
import { useSave } from '../useSave';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import { FieldPair } from '../../ui/FormModal';
import { Settings, SettingsSection } from '../../ui/Settings';
import { toast } from '../../ui/toasts';
import { useUnsaved } from '../../ui/unsavedChanges';
import { changedFields, changedValues } from './changedFields';
import { SaveBar } from './SaveBar';
import classes from './SettingsForm.module.css';

const themes = ['auto', 'light', 'dark'] as const;
const formats = ['auto', 'mdy', 'dmy', 'ymd'] as const;

/** Preferences: language, time zone, date format and theme, for pages and mails. */
export function PreferencesPanel() {
  const { t } = useTranslation(['profile', 'common', 'names']);
  const me = useMe();
  const { setColorScheme } = useMantineColorScheme();
  const [now] = useState(() => new Date().toISOString());
  // The preview follows the saved value.
  useLocale();
  const form = useForm({
    initialValues: {
      language: me.language,
      time_zone: me.time_zone,
      theme: me.theme,
      date_format: me.date_format,
    },
  });
  useFormDraft('preferences', form);
  const save = useSave({
    form,
    save: (choice: MeChange) => body(api.PATCH('/rest/v1/me', { body: choice })),
    onSaved: async (saved: Me) => {
      form.resetDirty();
      await applyLanguage(saved);
      setColorScheme(saved.theme);
      queryClient.setQueryData(queries.me().queryKey, saved);
      // Toast in the new language.
      toast({
        title: i18next.t('profile:preferences.saved'),
        description: i18next.t('profile:preferences.saved_text'),
      });
    },
  });
  useUnsaved(form.isDirty() && !save.isPending);
  return (
    <form onSubmit={form.onSubmit(() => save.mutate(changedValues(form)))} noValidate>
      <Settings>
        <SettingsSection title={t('preferences.shown')} text={t('preferences.shown_text')}>
          <div className={classes.fields}>
            <FieldPair>
              <ChoiceSelect
                label={t('names:field.language')}
                choices={languages.map((value) => ({ value, label: languageNames[value] }))}
                {...form.getInputProps('language')}
              />
              <TimeZoneSelect label={t('names:field.time_zone')} {...form.getInputProps('time_zone')} />
            </FieldPair>
            <ChoiceSelect
              label={t('names:field.date_format')}
              choices={formats.map((value) => ({ value, label: t(`date.${value}`) }))}
              {...form.getInputProps('date_format')}
            />
            <p className={classes.example}>{t('example', { example: dateTime(now) })}</p>
          </div>
        </SettingsSection>
        <SettingsSection title={t('preferences.look')} text={t('preferences.look_text')}>
          <div className={classes.fields}>
            <ChoiceSelect
              label={t('names:field.theme')}
              choices={themes.map((value) => ({ value, label: t(`theme.${value}`) }))}
              {...form.getInputProps('theme')}
            />
          </div>
        </SettingsSection>
      </Settings>
      <SaveBar
        changes={changedFields(form)}
        busy={save.isPending}
        saveLabel={t('save')}
        onDiscard={form.reset}
      />
    </form>
  );
}
