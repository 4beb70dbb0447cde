import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { api, body, ifVersion } from '../../api/client';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { Me, MeChange, Profile, ProfileChange } from '../../api/types';
import { paths } from '../../paths';
import { TimeZoneSelect } from '../../shared/geo/TimeZoneSelect';
import { changedFields } from '../../shared/settings/changedFields';
import { SaveBar } from '../../shared/settings/SaveBar';
import { useMe } from '../../shared/session/me';
import { useVersionConflict } from '../../shared/StaleProblem';
import { useUnsaved } from '../../ui/unsavedChanges';
import { useSave } from '../../shared/useSave';
import { BusyButton } from '../../ui/BusyButton';
import { FieldPair } from '../../ui/FormModal';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { SettingsState } from '../../ui/Settings';
import { toast } from '../../ui/toasts';
import classes from './ProfilePage.module.css';

/** Profile of the ISO partner. */
export function Component() {
  const { t } = useTranslation('partners');
  const { data, error, refetch } = useQuery(queries.profile());
  return (
    <>
      <PageHeader
        title={t('profile.title')}
        text={t('profile.text')}
        actions={
          <Button component={Link} to={paths.isoSecurity} variant="default">
            {t('profile.security')}
          </Button>
        }
      />
      <Stack gap="md">
        <Section title={t('clients.contact')}>
          <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()} rows={4}>
            {(profile) => <ProfileForm key={profile.version} profile={profile} />}
          </SettingsState>
        </Section>
        <Section title={t('profile.zone')}>
          <ZoneForm />
        </Section>
      </Stack>
    </>
  );
}

/** An account preference, saved apart from the public profile. */
function ZoneForm() {
  const { t } = useTranslation(['partners', 'common', 'names']);
  const me = useMe();
  const form = useForm({ initialValues: { time_zone: me.time_zone } });
  const save = useSave({
    form,
    save: (choice: MeChange) => body(api.PATCH('/rest/v1/me', { body: choice })),
    onSaved: (saved: Me) => {
      form.resetDirty();
      queryClient.setQueryData(queries.me().queryKey, saved);
      toast({ title: t('profile.saved'), description: t('profile.saved_text') });
    },
  });
  useUnsaved(form.isDirty() && !save.isPending);
  return (
    <form className={classes.form} onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <TimeZoneSelect
        label={t('names:field.time_zone')}
        description={t('profile.zone_text')}
        {...form.getInputProps('time_zone')}
      />
      <BusyButton
        type="submit"
        busy={save.isPending}
        label={t('profile.zone_submit')}
        busyLabel={t('common:saving')}
      />
    </form>
  );
}

function ProfileForm({ profile }: { profile: Profile }) {
  const { t } = useTranslation(['partners', 'common', 'names']);
  const me = useMe();
  const stale = useVersionConflict();
  const form = useForm({
    initialValues: {
      first_name: profile.first_name,
      last_name: profile.last_name,
      phone: profile.phone ?? '',
      job_title: profile.job_title ?? '',
    },
  });
  const save = useSave({
    form,
    save: (values: ProfileChange) =>
      body(
        api.PATCH('/rest/v1/me/profile', {
          params: ifVersion(profile.version),
          body: values,
        }),
      ),
    invalidates: 'user',
    onSaved: (saved) => {
      queryClient.setQueryData(queries.profile().queryKey, saved);
      toast({ title: t('profile.saved'), description: t('profile.saved_text') });
    },
    explain: stale.explain,
  });
  const problem = stale.problem(() =>
    queryClient.invalidateQueries({ queryKey: queries.profile().queryKey }),
  );
  useUnsaved(form.isDirty() && !save.isPending);
  const field = (name: keyof typeof form.values, needed = false) => (
    <TextInput size="sm" label={t(`names:field.${name}`)} required={needed} {...form.getInputProps(name)} />
  );
  return (
    <form className={classes.form} onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <FieldPair>
        {field('first_name', true)}
        {field('last_name', true)}
      </FieldPair>
      <FieldPair>
        {field('phone')}
        {field('job_title')}
      </FieldPair>
      <FieldPair>
        <TextInput
          size="sm"
          label={t('names:field.email')}
          value={profile.email}
          readOnly
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          description={
            <Anchor component={Link} to={paths.isoSecurity} fz="inherit">
              {t('profile.email_text')}
            </Anchor>
          }
        />
        {me.company && <TextInput size="sm" label={t('profile.company')} value={me.company.name} readOnly />}
      </FieldPair>
      {problem && <div role="alert">{problem}</div>}
      <SaveBar
        changes={changedFields(form)}
        busy={save.isPending}
        saveLabel={t('profile.submit')}
        onDiscard={form.reset}
      />
    </form>
  );
}
