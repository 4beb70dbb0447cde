import { Anchor, Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { queryClient } from '../../../api/cache';
import { api, body, ifVersion } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { Profile, ProfileChange } from '../../../api/types';
import { todayInUserZone } from '../../../messages/format';
import { paths } from '../../../paths';
import { CountrySelect, StateSelect } from '../../../shared/geo/CountrySelect';
import { useFormDraft } from '../../../shared/drafts';
import { useVersionConflict } from '../../../shared/StaleProblem';
import { useUnsaved } from '../../../ui/unsavedChanges';
import { useSave } from '../../../shared/useSave';
import { DateField } from '../../../ui/DateField';
import { FieldPair } from '../../../ui/FormModal';
import { Settings, SettingsSection, SettingsState } from '../../../ui/Settings';
import { toast } from '../../../ui/toasts';
import { changedFields } from '../../../shared/settings/changedFields';
import { SaveBar } from '../../../shared/settings/SaveBar';
import classes from '../../../shared/settings/SettingsForm.module.css';

/** Personal data of the client. */
export function PersonalPanel() {
  const { data, error, refetch } = useQuery(queries.profile());
  return (
    <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()} rows={6}>
      {(profile) => <PersonalForm profile={profile} />}
    </SettingsState>
  );
}

const valuesOf = (profile: Profile) => ({
  first_name: profile.first_name,
  last_name: profile.last_name,
  phone: profile.phone ?? '',
  company: profile.company ?? '',
  job_title: profile.job_title ?? '',
  dob: profile.dob ?? '',
  street_address: profile.street_address ?? '',
  city: profile.city ?? '',
  state: profile.state ?? '',
  zip_code: profile.zip_code ?? '',
  country: profile.country ?? '',
});

function PersonalForm({ profile: opened }: { profile: Profile }) {
  const { t } = useTranslation(['profile', 'common', 'names']);
  const navigate = useNavigate();
  const [profile, setProfile] = useState(opened);
  const stale = useVersionConflict();
  const form = useForm({
    initialValues: valuesOf(opened),
  });
  useFormDraft('profile', form, profile, setProfile);
  // A change of other fields is no conflict.
  if (
    opened.version > profile.version &&
    JSON.stringify(valuesOf(opened)) === JSON.stringify(form.getInitialValues())
  )
    setProfile(opened);
  const show = (newest: Profile) => {
    setProfile(newest);
    stale.forget();
    form.setInitialValues(valuesOf(newest));
    form.reset();
  };
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
      show(saved);
      queryClient.setQueryData(queries.profile().queryKey, saved);
      toast({ title: t('updated'), description: t('updated_text') });
    },
    explain: stale.explain,
  });
  const reload = async () => show(await queryClient.fetchQuery({ ...queries.profile(), staleTime: 0 }));
  const problem = stale.problem(reload);
  useUnsaved(form.isDirty() && !save.isPending);
  const leave = () => void navigate(paths.clientDashboard);
  const field = (name: keyof typeof form.values, type?: string) => (
    <TextInput size="sm" type={type} label={t(`names:field.${name}`)} {...form.getInputProps(name)} />
  );

  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Settings>
        <SettingsSection title={t('contact')} text={t('contact_text')}>
          <div className={classes.fields}>
            <FieldPair>
              <TextInput
                size="sm"
                label={t('names:field.first_name')}
                required
                autoComplete="given-name"
                {...form.getInputProps('first_name')}
              />
              <TextInput
                size="sm"
                label={t('names:field.last_name')}
                required
                autoComplete="family-name"
                {...form.getInputProps('last_name')}
              />
            </FieldPair>
            <TextInput
              size="sm"
              label={t('names:field.email')}
              value={profile.email}
              readOnly
              description={
                <Anchor component={Link} to={paths.clientProfileTab('security')} fz="inherit">
                  {t('email_change')}
                </Anchor>
              }
            />
            <FieldPair>
              {field('phone', 'tel')}
              <DateField
                byYear
                max={todayInUserZone()}
                label={t('names:field.dob')}
                {...form.getInputProps('dob')}
              />
            </FieldPair>
          </div>
        </SettingsSection>
        <SettingsSection title={t('work')} text={t('work_text')}>
          <div className={classes.fields}>
            <FieldPair>
              {field('company')}
              {field('job_title')}
            </FieldPair>
          </div>
        </SettingsSection>
        <SettingsSection title={t('address')} text={t('address_text')}>
          <div className={classes.fields}>
            {field('street_address')}
            <FieldPair>
              {field('city')}
              {field('zip_code')}
            </FieldPair>
            <FieldPair>
              <CountrySelect
                label={t('names:field.country')}
                {...form.getInputProps('country')}
                onChange={(country) => {
                  // Another country clears the state.
                  form.setFieldValue('country', country);
                  form.setFieldValue('state', '');
                }}
              />
              <StateSelect
                key={form.values.country}
                country={form.values.country}
                label={t('names:field.state')}
                {...form.getInputProps('state')}
              />
            </FieldPair>
          </div>
        </SettingsSection>
      </Settings>
      {problem && <div role="alert">{problem}</div>}
      <SaveBar
        changes={changedFields(form)}
        busy={save.isPending}
        saveLabel={t('save')}
        // A restored draft may have begun on an older version.
        onDiscard={() => show(opened)}
      >
        <Button variant="default" onClick={leave}>
          {t('reset')}
        </Button>
      </SaveBar>
    </form>
  );
}
