import { Checkbox, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody, idempotencyHeaders } from '../../../api/client';
import type { ReportName, ReportSchedule, ReportSchedules } from '../../../api/types';
import { date } from '../../../messages/format';
import { useMe } from '../../../shared/session/me';
import { useSave } from '../../../shared/useSave';
import { ChoiceSelect } from '../../../ui/ChoiceSelect';
import { FormModal, FieldPair } from '../../../ui/FormModal';
import { toast } from '../../../ui/toasts';
import { useCompany } from '../companyContext';
import { reports } from './report';
import { periods, type ReportPeriod } from '../../../shared/figures/dateRange';

interface Props {
  /** Undefined for a new schedule. */
  schedule: ReportSchedule | null;
  admins: ReportSchedules['admins'];
  report: ReportName;
  period?: ReportPeriod;
  onClose: () => void;
}

const intervals = ['weekly', 'monthly'] as const;

/** Report schedule: report, frequency and recipients. */
export function ScheduleForm({ schedule, admins, report, period = 'this_year', onClose }: Props) {
  const { t } = useTranslation(['reports', 'names', 'common']);
  const company = useCompany();
  const me = useMe();
  // Former admins are no longer offered.
  const chosen = schedule?.recipients.filter(({ may_see: sees }) => sees).map(({ id }) => id);
  const form = useForm({
    initialValues: {
      report: schedule?.report ?? report,
      period: schedule?.period ?? period,
      every: schedule?.every ?? 'weekly',
      // Others are added by name: a new schedule mails only its author.
      recipients: chosen ?? admins.filter(({ id }) => id === me.id).map(({ id }) => id),
    },
  });
  const save = useSave({
    form,
    save: (values: typeof form.values, key) =>
      body(
        schedule
          ? api.PATCH('/rest/v1/report-schedules/{id}', { params: versionedBody(schedule), body: values })
          : api.POST('/rest/v1/report-schedules', {
              params: idempotencyHeaders(key),
              body: { company_id: company.id, ...values },
            }),
      ),
    invalidates: 'report_schedule',
    onSaved: (saved) => {
      toast({
        title: t('schedule.saved'),
        description: t('schedule.saved_text', { day: date(saved.next_date) }),
      });
      onClose();
    },
  });
  return (
    <FormModal
      title={schedule ? t('schedule.edit') : t('schedule.add')}
      text={t('schedule.text')}
      size="md"
      submitLabel={t('common:save')}
      busyLabel={t('common:saving')}
      busy={save.isPending}
      dirty={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <ChoiceSelect
        label={t('names:field.report')}
        choices={reports.map((value) => ({ value, label: t(`names:report.${value}`) }))}
        {...form.getInputProps('report')}
      />
      <FieldPair>
        <ChoiceSelect
          label={t('period')}
          choices={periods.map((value) => ({ value, label: t(`names:report_period.${value}`) }))}
          {...form.getInputProps('period')}
        />
        <ChoiceSelect
          label={t('names:field.every')}
          choices={intervals.map((value) => ({ value, label: t(`names:report_interval.${value}`) }))}
          {...form.getInputProps('every')}
        />
      </FieldPair>
      <Checkbox.Group label={t('names:field.recipients')} required {...form.getInputProps('recipients')}>
        <Stack gap="xs" mt={8}>
          {admins.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('schedule.no_admins')}
            </Text>
          )}
          {admins.map(({ id, name }) => (
            <Checkbox key={id} value={id} label={name} />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormModal>
  );
}
