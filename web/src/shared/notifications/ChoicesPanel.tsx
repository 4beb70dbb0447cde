import { Skeleton, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { api, body } from '../../api/client';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { NotificationChoice } from '../../api/types';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import { Section } from '../../ui/Section';
import { ErrorState } from '../../ui/states';
import { toast } from '../../ui/toasts';
import { useSave } from '../useSave';
import classes from './ChoicesPanel.module.css';

const mails: NotificationChoice['mail'][] = ['now', 'daily', 'off'];

/** What to be told of, in the app and by mail. A choice is kept as soon as it is made. */
export function ChoicesPanel() {
  const { t } = useTranslation('notifications');
  const { data, error, refetch } = useQuery(queries.notificationChoices());
  const save = useSave({
    save: (choice: NotificationChoice) =>
      body(api.PUT('/rest/v1/me/notification-choices', { body: { choices: [choice] } })),
    saved: (saved) => {
      queryClient.setQueryData(queries.notificationChoices().queryKey, saved);
      toast({ title: t('saved') });
    },
  });
  return (
    <Section title={t('choices')} flush>
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={320} m="md" width="auto" />}
      {data && (
        <ul className={classes.choices}>
          {data.items.map((choice) => (
            <li key={choice.event} className={classes.choice}>
              <div className={classes.words}>
                <span className={classes.name}>{t(`topic.${choice.event}`)}</span>
                <span className={classes.text}>{t(`topic_text.${choice.event}`)}</span>
              </div>
              <Switch
                size="sm"
                label={t('in_app')}
                aria-label={t('in_app_of', { topic: t(`topic.${choice.event}`) })}
                checked={choice.in_app}
                disabled={save.isPending}
                onChange={(event) => save.mutate({ ...choice, in_app: event.currentTarget.checked })}
              />
              <ChoiceSelect
                label={t('mail_of', { topic: t(`topic.${choice.event}`) })}
                choices={mails.map((value) => ({ value, label: t(`mail.${value}`) }))}
                value={choice.mail}
                onChange={(mail) => mail !== choice.mail && save.mutate({ ...choice, mail })}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
