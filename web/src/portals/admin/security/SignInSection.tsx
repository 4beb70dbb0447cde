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

type SignInRules = NonNullable<Settings['security']>;
const unset: SignInRules = {
  session_idle_hours: null,
  session_max_hours: null,
  staff_session_idle_hours: null,
  staff_session_max_hours: null,
  password_min_length: null,
};

/** Session lifetimes by their field. */
const lifetimes = [
  { name: 'idle', field: 'session_idle_hours', choices: ['1', '8', '24', '168', '720', '2160'] },
  { name: 'longest', field: 'session_max_hours', choices: ['8', '24', '168', '720', '2160', '8760'] },
  { name: 'staff_idle', field: 'staff_session_idle_hours', choices: ['1', '8', '12', '24', '168', '720'] },
  { name: 'staff_longest', field: 'staff_session_max_hours', choices: ['8', '24', '168', '720', '2160'] },
] as const;

function valuesOf({ session_limits: limits, password_min_length }: Settings) {
  const longest = (hours?: number | null) => String(hours ?? NO_LIMIT);
  return {
    idle: String(limits?.everyone.idle_hours),
    longest: longest(limits?.everyone.max_hours),
    staff_idle: String(limits?.staff.idle_hours),
    staff_longest: longest(limits?.staff.max_hours),
    shortest: password_min_length as number | string,
  };
}

/** Session lifetimes and password length. */
export function SignInSection() {
  const { t } = useTranslation('users');
  const rules = useSecuritySettings();
  return (
    <SettingsSection title={t('rules.sign_in')} text={t('rules.sign_in_text')}>
      <SettingsState data={rules.data} error={rules.error} retry={rules.retry} rows={5}>
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
    for (const { name } of lifetimes) if (String(shown[name]) === then[name]) shown[name] = now[name];
    if (String(shown.shortest) === String(then.shortest)) shown.shortest = now.shortest;
    form.setInitialValues(now);
    form.setValues(shown);
    setBaseline(settings);
  }
  useUnsaved(form.isDirty() && !save.isPending);
  const submit = form.onSubmit((values) => {
    const security: SignInRules = { ...(baseline.security ?? unset) };
    for (const { name, field } of lifetimes) {
      if (form.isDirty(name)) security[field] = values[name] === NO_LIMIT ? null : Number(values[name]);
    }
    if (form.isDirty('shortest')) security.password_min_length = Number(values.shortest);
    save.mutate({ version: baseline.version, change: { security } });
  });
  return (
    <form onSubmit={submit} noValidate aria-label={t('rules.sign_in')}>
      <div className={classes.fields}>
        {lifetimes.map(({ name, choices }) => (
          <ChoiceSelect
            key={name}
            label={t(`rules.${name}`)}
            description={t(`rules.${name}_text`)}
            value={form.values[name]}
            choices={withCurrent(choices, form.values[name]).map((value) => ({
              value,
              label: durationText(t, value),
            }))}
            onChange={(value) => form.setFieldValue(name, value)}
          />
        ))}
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

/** A value set with spvctl, or no limit in demo mode, may be missing from the choices. */
function withCurrent(choices: readonly string[], current: string): readonly string[] {
  return choices.includes(current) ? choices : [...choices, current];
}

function durationText(t: (key: string, values?: Record<string, unknown>) => string, hours: string): string {
  if (hours === NO_LIMIT) return t('rules.never');
  const count = Number(hours);
  return count % 24 === 0 ? t('rules.days', { count: count / 24 }) : t('rules.hours', { count });
}
