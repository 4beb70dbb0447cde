import type { TFunction } from 'i18next';
import type { Activity } from '../../api/types';
import { date } from '../../messages/format';

/** Activity text: one event as a localized sentence. */
export function activityText(t: TFunction, activity: Activity): string {
  const { action, actor, subject, data } = activity;
  const values = {
    ...data,
    actor: actorText(t, actor),
    subject: namedValue(t, subject),
    from: status(t, data.from),
    to: status(t, data.to),
    act: typeof data.act === 'string' ? t(`names:approval_act.${data.act}`, { defaultValue: data.act }) : '',
    due_date: typeof data.due_date === 'string' ? date(data.due_date) : '',
    // A step that was completed has its own sentence.
    context: action === 'step.updated' && data.to === 'completed' ? 'completed' : undefined,
  };
  // A newer server may send unknown actions.
  const sentence = t(`events:${action}`, { ...values, defaultValue: `${values.actor}: ${subject.label}` });
  const by = data.session_begun_by;
  return typeof by === 'string'
    ? t('names:session_begun_by', { sentence, name: administratorText(t, by) })
    : sentence;
}

/** Administrator by whose link or password a session began: a program, by its code, or an operator, by name. */
function administratorText(t: TFunction, code: string): string {
  const kind = /^actor:(.*)/.exec(code)?.[1];
  return kind ? actorText(t, { kind, name: '' }) : actorText(t, { kind: 'operator', name: code });
}

/** Actor of an event: user name, or localized visitor, service, system or operator. */
export function actorText(t: TFunction, { kind, name }: Activity['actor']): string {
  if (kind === 'operator' && name) return t('names:actor.operator_named', { name });
  return t(`names:actor.${kind}`, { defaultValue: name });
}

/** Reports are referred to by code and have localized names. */
function namedValue(t: TFunction, { kind, label }: Activity['subject']): string {
  return kind === 'report_schedule' ? t(`names:report.${label}`, { defaultValue: label }) : label;
}

function status(t: TFunction, value: unknown): string {
  return typeof value === 'string' ? t(`names:step_status.${value}`, { defaultValue: value }) : '';
}
