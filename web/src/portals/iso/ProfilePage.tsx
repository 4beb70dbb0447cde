import { Anchor, Box, Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queryClient } from '../../api/cache';
import { api, body, ifVersion } from '../../api/client';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { Me, MeChange, Profile } from '../../api/types';
import { paths } from '../../paths';
import { TimeZoneSelect } from '../../shared/geo/TimeZoneSelect';
import { useFormDraft } from '../../shared/drafts';
import { changedFields } from '../../shared/settings/changedFields';
import { EditCard } from '../../shared/settings/EditCard';
import { SaveBar } from '../../shared/settings/SaveBar';
import { useMe } from '../../shared/session/me';
import { useUnsaved } from '../../ui/unsavedChanges';
import { useSave } from '../../shared/useSave';
import { FieldPair } from '../../ui/FormModal';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { SettingsState } from '../../ui/Settings';
import { toast } from '../../ui/toasts';
import { PayoutAccountForm } from './PayoutAccountForm';
import classes from './ProfilePage.module.css';

/** Profile of the ISO partner. */
export function Component() {
  const { t } = useTranslation('partners');
  const me = useMe();
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
      <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()} rows={4}>
        {(profile) => (
          <Stack gap="md" className={classes.cards}>
            <Contact profile={profile} />
            {me.iso && (
              <Section title={t('account.title')}>
                <PayoutAccountForm isoId={me.iso.id} />
              </Section>
            )}
            <Zone />
          </Stack>
        )}
      </SettingsState>
    </>
  );
}

const onSaved = () =>
  toast({
    title: i18next.t('partners:profile.saved'),
    description: i18next.t('partners:profile.saved_text'),
  });

/** Name and contact, as shown to staff and clients. */
function Contact({ profile }: { profile: Profile }) {
  const { t } = useTranslation(['partners', 'names']);
  const me = useMe();
  return (
    <EditCard
      title={t('clients.contact')}
      draft="profile"
      saveLabel={t('profile.submit')}
      whole={profile}
      valuesOf={(of) => ({
        first_name: of.first_name,
        last_name: of.last_name,
        phone: of.phone ?? '',
        job_title: of.job_title ?? '',
      })}
      save={(values, version) =>
        body(api.PATCH('/rest/v1/me/profile', { params: ifVersion(version), body: values }))
      }
      invalidates="user"
      onSaved={(saved) => {
        queryClient.setQueryData(queries.profile().queryKey, saved);
        onSaved();
      }}
      load={() => queryClient.fetchQuery({ ...queries.profile(), staleTime: 0 })}
    >
      {(form) => {
        const field = (name: keyof typeof form.values, needed = false) => (
          <TextInput
            size="sm"
            label={t(`names:field.${name}`)}
            required={needed}
            {...form.getInputProps(name)}
          />
        );
        return (
          <>
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
              {me.company && (
                <TextInput size="sm" label={t('profile.company')} value={me.company.name} readOnly />
              )}
            </FieldPair>
          </>
        );
      }}
    </EditCard>
  );
}

/** An account preference, saved apart from the public profile. */
function Zone() {
  const { t } = useTranslation(['partners', 'common', 'names']);
  const me = useMe();
  const form = useForm({ initialValues: { time_zone: me.time_zone } });
  useFormDraft('time zone', form);
  const save = useSave({
    form,
    save: (choice: MeChange) => body(api.PATCH('/rest/v1/me', { body: choice })),
    onSaved: (saved: Me) => {
      form.setInitialValues({ time_zone: saved.time_zone });
      form.reset();
      queryClient.setQueryData(queries.me().queryKey, saved);
      onSaved();
    },
  });
  useUnsaved(form.isDirty() && !save.isPending);
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Section title={t('profile.zone')} flush>
        <Box p="md">
          <TimeZoneSelect
            label={t('names:field.time_zone')}
            description={t('profile.zone_text')}
            {...form.getInputProps('time_zone')}
          />
        </Box>
        <SaveBar
          changes={changedFields(form)}
          busy={save.isPending}
          saveLabel={t('profile.zone_submit')}
          onDiscard={form.reset}
        />
      </Section>
    </form>
  );
}
