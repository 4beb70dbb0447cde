import { Skeleton, Switch } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../../api/cache';
import { api, body } from '../../api/client';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { NotificationChoice } from '../../api/types';
import { ChoiceSelect } from '../../ui/ChoiceSelect';
import { Section } from '../../ui/Section';
import { ErrorState } from '../../ui/ErrorState';
import { toast } from '../../ui/toasts';
import { useSave } from '../useSave';
import classes from './NotificationPreferencesPanel.module.css';

type PreferenceChange = Omit<NotificationChoice, 'topic'>;

const MAIL_FREQUENCIES: PreferenceChange['mail'][] = ['now', 'daily', 'off'];

/** Notification preferences, in the app and by mail, saved on change. */
export function NotificationPreferencesPanel() {
  const { t } = useTranslation('notifications');
  const { data, error, refetch } = useQuery(queries.notificationChoices());
  const { queryKey } = queries.notificationChoices();
  const waiting = useRef(0);
  /** Choices confirmed by the server. */
  const confirmed = useRef(data);
  const save = useSave({
    scope: { id: 'notification choices' },
    save: (choices: PreferenceChange[]) =>
      body(api.PUT('/rest/v1/me/notification-choices', { body: { choices } })),
    onSaved: () => toast({ title: t('saved') }),
  });
  // Optimistic: the next choice builds on it.
  const choose = async (changes: PreferenceChange[]) => {
    if (waiting.current === 0) confirmed.current = data;
    waiting.current += 1;
    // Cancels fetches in flight, which would revert the choice on the screen.
    await queryClient.cancelQueries({ queryKey });
    const wished = ({ event, topic }: NotificationChoice) =>
      changes.find((change) => change.event === event || change.event === topic);
    queryClient.setQueryData(
      queryKey,
      (shown) =>
        shown && {
          items: shown.items.map((choice) => ({ ...choice, ...wished(choice), event: choice.event })),
        },
    );
    const saved = await save.mutateAsync(changes).catch(() => null);
    waiting.current -= 1;
    if (saved) confirmed.current = saved;
    if (waiting.current > 0) return;
    queryClient.setQueryData(queryKey, confirmed.current);
    // The outcome is unknown (rejected or lost response), so the choices are refetched.
    if (!saved) await refetch();
  };
  return (
    <Section title={t('choices')} flush>
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={320} m="md" width="auto" />}
      {data && (
        <ul className={classes.choices}>
          {[...new Set(data.items.map(({ topic }) => topic))].map((topic) => (
            <TopicPreference
              key={topic}
              topic={topic}
              events={data.items.filter((choice) => choice.topic === topic)}
              onChoose={(changes) => void choose(changes)}
            />
          ))}
        </ul>
      )}
    </Section>
  );
}

interface TopicProps {
  topic: NotificationChoice['topic'];
  events: NotificationChoice[];
  onChoose: (choices: PreferenceChange[]) => void;
}

/** A topic, which sets all its events, and its events, which can differ. */
function TopicPreference({ topic, events, onChoose }: TopicProps) {
  const { t } = useTranslation(['notifications', 'names']);
  const id = useId();
  const [open, setOpen] = useState(false);
  const name = t(`topic.${topic}`);
  const mail = commonValue(events.map((choice) => choice.mail));
  const inApp = commonValue(events.map((choice) => choice.in_app));
  const chooseAll = (change: Partial<PreferenceChange>) => {
    const changes = events.map(({ event, in_app, mail }) => ({ event, in_app, mail, ...change }));
    const in_app = commonValue(changes.map((change) => change.in_app));
    const mailed = commonValue(changes.map((change) => change.mail));
    // Keeps the other channel where it differs between events.
    if (in_app === undefined || mailed === undefined) onChoose(changes);
    else onChoose([{ event: topic, in_app, mail: mailed }]);
  };
  return (
    <li>
      <div className={classes.choice}>
        <div className={classes.words}>
          <span className={classes.name}>{name}</span>
          <span className={classes.text}>{t(`topic_text.${topic}`)}</span>
          {inApp === undefined && <span className={classes.text}>{t('mixed')}</span>}
          {events.length > 1 && (
            <button
              type="button"
              className={classes.more}
              aria-expanded={open}
              aria-controls={id}
              aria-label={t('events_of', { topic: name })}
              onClick={() => setOpen(!open)}
            >
              <IconChevronRight className={classes.chevron} size={14} aria-hidden="true" />
              {t('events')}
            </button>
          )}
        </div>
        <ChannelSelect
          name={name}
          inApp={inApp ?? false}
          mail={mail}
          onInApp={(in_app) => chooseAll({ in_app })}
          onMail={(mail) => chooseAll({ mail })}
        />
      </div>
      <ul id={id} className={classes.events} aria-label={name} hidden={!open}>
        {open &&
          events.map(({ event, in_app, mail }) => (
            <li key={event} className={classes.choice}>
              <span className={classes.event}>{t(`names:told.${event}`)}</span>
              <ChannelSelect
                name={t(`names:told.${event}`)}
                inApp={in_app}
                mail={mail}
                onInApp={(in_app) => onChoose([{ event, in_app, mail }])}
                onMail={(mail) => onChoose([{ event, in_app, mail }])}
              />
            </li>
          ))}
      </ul>
    </li>
  );
}

interface ChannelSelectProps {
  name: string;
  inApp: boolean;
  /** Undefined if the events differ. */
  mail?: PreferenceChange['mail'];
  onInApp: (inApp: boolean) => void;
  onMail: (mail: PreferenceChange['mail']) => void;
}

function ChannelSelect({ name, inApp, mail, onInApp, onMail }: ChannelSelectProps) {
  const { t } = useTranslation('notifications');
  return (
    <>
      <Switch
        size="sm"
        label={t('in_app')}
        aria-label={t('in_app_of', { topic: name })}
        checked={inApp}
        onChange={(event) => onInApp(event.currentTarget.checked)}
      />
      <ChoiceSelect
        label={t('by_mail')}
        name={t('mail_of', { topic: name })}
        choices={MAIL_FREQUENCIES.map((value) => ({ value, label: t(`mail.${value}`) }))}
        value={mail ?? null}
        placeholder={t('mail.mixed')}
        onChange={(next) => next !== mail && onMail(next)}
      />
    </>
  );
}

/** The common value of all events; undefined if they differ. */
function commonValue<Value>([first, ...others]: Value[]): Value | undefined {
  return others.every((other) => other === first) ? first : undefined;
}
