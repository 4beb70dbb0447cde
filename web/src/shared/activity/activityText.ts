import type { TFunction } from 'i18next';
import type { Activity } from '../../api/types';
import { date } from '../../messages/format';

/** One event as a sentence. */
export function activityText(t: TFunction, activity: Activity): string {
  const { action, actor, subject, data } = activity;
  const values = {
    ...data,
    actor: actorText(t, actor),
    subject: namedValue(t, subject),
    from: status(t, data.from),
    to: status(t, data.to),
    due_date: typeof data.due_date === 'string' ? date(data.due_date) : '',
  };
  // A server newer than this page may tell of things this page has no words for.
  return t(`events:${action}`, { ...values, defaultValue: `${values.actor}: ${subject.label}` });
}

/** Who did something: people by name, visitors, programs, the system and the operator by a word of the language. */
export function actorText(t: TFunction, { kind, name }: Activity['actor']): string {
  if (kind === 'operator' && name) return t('names:actor.operator_named', { name });
  return t(`names:actor.${kind}`, { defaultValue: name });
}

/** A report is called by its code, which has a name in every language. */
function namedValue(t: TFunction, { kind, label }: Activity['subject']): string {
  return kind === 'report_schedule' ? t(`names:report.${label}`, { defaultValue: label }) : label;
}

function status(t: TFunction, value: unknown): string {
  return typeof value === 'string' ? t(`names:step_status.${value}`, { defaultValue: value }) : '';
}
