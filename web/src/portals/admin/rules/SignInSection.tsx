import { NumberInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { Settings } from '../../../api/types';
import { BusyButton } from '../../../ui/BusyButton';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { SettingsFooter, SettingsSection, SettingsState } from '../../../ui/Settings';
import classes from './rules.module.css';
import { useRules } from './useRules';

const never = 'never';
const idle = ['1', '8', '24', '168', '720', '2160'];
const longest = ['8', '24', '168', '720', '2160', never];

/** How long sessions last, and how long a new password is. */
export function SignInSection() {
  const { t } = useTranslation('users');
  const rules = useRules();
  return (
    <SettingsSection title={t('rules.sign_in')} text={t('rules.sign_in_text')}>
      <SettingsState data={rules.data} error={rules.error} retry={rules.retry} rows={3}>
        {(settings) => <Form settings={settings} save={rules.save} />}
      </SettingsState>
    </SettingsSection>
  );
}

function Form({ settings, save }: { settings: Settings; save: ReturnType<typeof useRules>['save'] }) {
  const { t } = useTranslation(['users', 'common']);
  const { security } = settings;
  const form = useForm({
    initialValues: {
      idle: String(security?.session_idle_hours ?? 2160),
      longest: String(security?.session_max_hours ?? never),
      shortest: settings.password_min_length as number | string,
    },
    validate: {
      shortest: (value) => (Number(value) >= 8 && Number(value) <= 64 ? null : t('rules.shortest_range')),
    },
  });
  const submit = form.onSubmit((values) =>
    save.mutate(
      {
        security: {
          session_idle_hours: Number(values.idle),
          session_max_hours: values.longest === never ? null : Number(values.longest),
          password_min_length: Number(values.shortest),
        },
      },
      { onSuccess: () => form.resetDirty() },
    ),
  );
  return (
    <form onSubmit={submit} noValidate aria-label={t('rules.sign_in')}>
      <div className={classes.fields}>
        <ChoiceSelect
          label={t('rules.idle')}
          description={t('rules.idle_text')}
          value={form.values.idle}
          choices={withCurrent(idle, form.values.idle).map((value) => ({ value, label: words(t, value) }))}
          onChange={(value) => form.setFieldValue('idle', value)}
        />
        <ChoiceSelect
          label={t('rules.longest')}
          description={t('rules.longest_text')}
          value={form.values.longest}
          choices={withCurrent(longest, form.values.longest).map((value) => ({
            value,
            label: words(t, value),
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

/** What was set by command may be none of the choices. */
function withCurrent(choices: string[], current: string): string[] {
  return choices.includes(current) ? choices : [...choices, current];
}

function words(t: (key: string, values?: Record<string, unknown>) => string, hours: string): string {
  if (hours === never) return t('rules.never');
  const count = Number(hours);
  return count % 24 === 0 ? t('rules.days', { count: count / 24 }) : t('rules.hours', { count });
}
