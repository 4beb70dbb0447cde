import { Badge, Button, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCalendarOff, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, idempotencyHeaders } from '../../api/client';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { Holiday } from '../../api/types';
import { date, todayInOfficeZone } from '../../messages/format';
import { useCountries, type Country } from '../../shared/countries';
import { useRequiredFieldsMessage, useSave } from '../../shared/useSave';
import { required } from '../../shared/validators';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import { DateField } from '../../ui/DateField';
import { EmptyState } from '../../ui/EmptyState';
import { FieldPair, FormModal } from '../../ui/FormModal';
import { SettingsRow, SettingsState } from '../../ui/Settings';
import { Section } from '../../ui/Section';
import { toast } from '../../ui/toasts';
import classes from './HolidaysCard.module.css';

/** Years of the server's table. */
const YEARS = Array.from({ length: 10 }, (_, n) => String(2026 + n));

/** Public holidays of a country and a year, and their corrections. */
export function HolidaysCard() {
  const { t } = useTranslation(['admin', 'names']);
  const countries = useCountries();
  const [country, setCountry] = useState<Country>('US');
  const [year, setYear] = useState(todayInOfficeZone().slice(0, 4));
  const [adding, setAdding] = useState(false);
  // Kept while another country loads.
  const [open, setOpen] = useState(false);
  const { data, error, refetch } = useQuery(queries.holidays(country));
  return (
    <Section
      id="holidays"
      title={t('holidays.title')}
      flush
      actions={
        <Button variant="default" onClick={() => setAdding(true)}>
          {t('holidays.add')}
        </Button>
      }
    >
      <Stack gap="md" p="md">
        <Text size="sm" c="dimmed">
          {t('holidays.text')}
        </Text>
        <FieldPair>
          <ChoiceSelect
            label={t('holidays.country')}
            choices={countries}
            value={country}
            onChange={setCountry}
          />
          <ChoiceSelect
            label={t('holidays.year')}
            choices={YEARS.map((value) => ({ value, label: value }))}
            value={year}
            onChange={setYear}
          />
        </FieldPair>
      </Stack>
      <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()} rows={1}>
        {(all) => (
          <Days
            year={year}
            holidays={all.filter(({ day }) => day.startsWith(year))}
            open={open}
            onToggle={() => setOpen(!open)}
          />
        )}
      </SettingsState>
      {adding && <NewHoliday country={country} onClose={() => setAdding(false)} />}
    </Section>
  );
}

interface DaysProps {
  year: string;
  holidays: Holiday[];
  open: boolean;
  onToggle: () => void;
}

/** The days of a year, folded: settings follow them. */
function Days({ year, holidays, open, onToggle }: DaysProps) {
  const { t } = useTranslation('admin');
  if (holidays.length === 0) {
    return (
      <EmptyState
        icon={<IconCalendarOff size={20} />}
        title={t('holidays.none')}
        text={t('holidays.none_text')}
      />
    );
  }
  return (
    <>
      <UnstyledButton className={classes.fold} aria-expanded={open} onClick={onToggle}>
        <IconChevronRight size={16} aria-hidden="true" />
        {t('holidays.count', { year, count: holidays.filter(({ name }) => name !== null).length })}
      </UnstyledButton>
      {open && <Rows holidays={holidays} />}
    </>
  );
}

function Rows({ holidays }: { holidays: Holiday[] }) {
  const { t } = useTranslation('admin');
  const remove = useSave({
    save: ({ country, day }: Holiday, key) =>
      body(api.POST('/rest/v1/holidays', { params: idempotencyHeaders(key), body: { country, day } })),
    invalidates: 'holiday',
    onSaved: ({ day }) => toast({ title: t('holidays.removed'), description: date(day) }),
  });
  const restore = useSave({
    save: async (holiday: Holiday) => {
      const { correction_id: id } = holiday;
      if (id) await body(api.DELETE('/rest/v1/holidays/{id}', { params: { path: { id } } }));
      return holiday;
    },
    invalidates: 'holiday',
    onSaved: ({ name, day }) =>
      toast({ title: t(name ? 'holidays.deleted' : 'holidays.restored'), description: date(day) }),
  });
  return (
    <div role="list" aria-label={t('holidays.title')} className={classes.days}>
      {holidays.map((holiday) => {
        const day = date(holiday.day);
        const [label, name, act] = holiday.correction_id
          ? holiday.name
            ? [t('holidays.delete'), t('holidays.delete_of', { day }), restore]
            : [t('holidays.restore'), t('holidays.restore_of', { day }), restore]
          : [t('holidays.remove'), t('holidays.remove_of', { day }), remove];
        return (
          <div key={holiday.day} role="listitem">
            <SettingsRow
              icon={<IconCalendarOff size={17} />}
              title={holiday.name ?? t('holidays.business_day')}
              tag={<Tag holiday={holiday} />}
              text={date(holiday.day)}
              actions={
                <Button
                  variant={holiday.correction_id ? 'default' : 'subtle'}
                  aria-label={name}
                  disabled={act.isPending}
                  onClick={() => act.mutate(holiday)}
                >
                  {label}
                </Button>
              }
            />
          </div>
        );
      })}
    </div>
  );
}

function Tag({ holiday }: { holiday: Holiday }) {
  const { t } = useTranslation('admin');
  if (holiday.correction_id && holiday.name) return <Badge variant="light">{t('holidays.added')}</Badge>;
  if (holiday.estimate) return <Badge variant="light">{t('holidays.estimate')}</Badge>;
  return null;
}

/** Adds a holiday of a country. */
function NewHoliday({ country, onClose }: { country: Country; onClose: () => void }) {
  const { t } = useTranslation(['admin', 'names', 'common']);
  const missing = useRequiredFieldsMessage();
  const form = useForm({
    initialValues: { day: '', name: '' },
    validate: { day: required, name: required },
  });
  const save = useSave({
    form,
    save: (values: typeof form.values, key) =>
      body(api.POST('/rest/v1/holidays', { params: idempotencyHeaders(key), body: { country, ...values } })),
    invalidates: 'holiday',
    onSaved: ({ day }) => {
      toast({ title: t('holidays.saved'), description: date(day) });
      onClose();
    },
  });
  return (
    <FormModal
      title={`${t('holidays.add')} · ${t(`names:country.${country}`)}`}
      text={t('holidays.add_text')}
      size="md"
      submitLabel={t('holidays.add')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values), missing)}
      onClose={onClose}
    >
      <DateField label={t('names:field.day')} required {...form.getInputProps('day')} />
      <TextInput size="sm" label={t('names:field.name')} required {...form.getInputProps('name')} />
    </FormModal>
  );
}
