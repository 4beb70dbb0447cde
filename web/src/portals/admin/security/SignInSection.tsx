import { NumberInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Settings } from '../../../api/types';
import { useUnsaved } from '../../../ui/unsavedChanges';
import { BusyButton } from '../../../ui/BusyButton';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { SettingsFooter, SettingsSection, SettingsState } from '../../../ui/Settings';
import classes from './security.module.css';
import { useSecuritySettings } from './useSecuritySettings';

const NO_LIMIT = 'never';
const IDLE_CHOICES = ['1', '8', '24', '168', '720', '2160'];
const LIFETIME_CHOICES = ['8', '24', '168', '720', '2160', NO_LIMIT];

type SignInRules = NonNullable<Settings['security']>;
const unsetWhenEmpty: SignInRules = {
  session_idle_hours: null,
  session_max_hours: null,
  password_min_length: null,
};

function valuesOf({ security, password_min_length }: Settings) {
  return {
    idle: String(security?.session_idle_hours ?? 2160),
    longest: String(security?.session_max_hours ?? NO_LIMIT),
    shortest: password_min_length as number | string,
  };
}

/** Session lifetime and password length. */
export function SignInSection() {
  const { t } = useTranslation('users');
  const rules = useSecuritySettings();
  return (
    <SettingsSection title={t('rules.sign_in')} text={t('rules.sign_in_text')}>
      <SettingsState data={rules.data} error={rules.error} retry={rules.retry} rows={3}>
        {(settings) => <Form settings={settings} save={rules.save} />}
      </SettingsState>
    </SettingsSection>
  );
}

function Form({
  settings,
  save,
}: {
  settings: Settings;
  save: ReturnType<typeof useSecuritySettings>['save'];
}) {
  const { t } = useTranslation(['users', 'common']);
  const [baseline, setBaseline] = useState(settings);
  const form = useForm({
    initialValues: valuesOf(settings),
    validate: {
      shortest: (value) => (Number(value) >= 8 && Number(value) <= 64 ? null : t('rules.shortest_range')),
    },
  });
  // A concurrent change updates fields that are not being edited here.
  if (settings.version > baseline.version) {
    const [now, then] = [valuesOf(settings), valuesOf(baseline)];
    const shown = { ...form.values };
    if (String(shown.idle) === then.idle) shown.idle = now.idle;
    if (String(shown.longest) === then.longest) shown.longest = now.longest;
    if (String(shown.shortest) === String(then.shortest)) shown.shortest = now.shortest;
    form.setInitialValues(now);
    form.setValues(shown);
    setBaseline(settings);
  }
  useUnsaved(form.isDirty() && !save.isPending);
  const submit = form.onSubmit((values) => {
    const security: SignInRules = { ...(baseline.security ?? unsetWhenEmpty) };
    if (form.isDirty('idle')) security.session_idle_hours = Number(values.idle);
    if (form.isDirty('longest'))
      security.session_max_hours = values.longest === NO_LIMIT ? null : Number(values.longest);
    if (form.isDirty('shortest')) security.password_min_length = Number(values.shortest);
    save.mutate({ version: baseline.version, change: { security } });
  });
  return (
    <form onSubmit={submit} noValidate aria-label={t('rules.sign_in')}>
      <div className={classes.fields}>
        <ChoiceSelect
          label={t('rules.idle')}
          description={t('rules.idle_text')}
          value={form.values.idle}
          choices={withCurrent(IDLE_CHOICES, form.values.idle).map((value) => ({
            value,
            label: durationText(t, value),
          }))}
          onChange={(value) => form.setFieldValue('idle', value)}
        />
        <ChoiceSelect
          label={t('rules.longest')}
          description={t('rules.longest_text')}
          value={form.values.longest}
          choices={withCurrent(LIFETIME_CHOICES, form.values.longest).map((value) => ({
            value,
            label: durationText(t, value),
          }))}
          onChange={(value) => form.setFieldValue('longest', value)}
        />
        <NumberInput
          size="sm"
          label={t('rules.shortest')}
          description={t('rules.shortest_text')}
          min={8}
          max={64}
          clampBehavior="none"
          allowDecimal={false}
          {...form.getInputProps('shortest')}
        />
      </div>
      <SettingsFooter>
        <BusyButton
          type="submit"
          busy={save.isPending}
          disabled={!form.isDirty()}
          label={t('common:save')}
          busyLabel={t('common:saving')}
        />
      </SettingsFooter>
    </form>
  );
}

/** A value set with spvctl may be missing from the choices. */
function withCurrent(choices: string[], current: string): string[] {
  return choices.includes(current) ? choices : [...choices, current];
}

function durationText(t: (key: string, values?: Record<string, unknown>) => string, hours: string): string {
  if (hours === NO_LIMIT) return t('rules.never');
  const count = Number(hours);
  return count % 24 === 0 ? t('rules.days', { count: count / 24 }) : t('rules.hours', { count });
}
