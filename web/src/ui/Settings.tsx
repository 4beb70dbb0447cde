import { Skeleton, Text, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { ErrorState } from './ErrorState';
import classes from './Settings.module.css';

/** Sections of settings below each other. */
export function Settings({ children }: { children: ReactNode }) {
  return <div className={classes.sections}>{children}</div>;
}

interface SectionProps {
  title: string;
  text: string;
  /** How it stands, in a word beside the title. */
  tag?: ReactNode;
  children: ReactNode;
}

/** What a group of settings is about, and beside it the settings. */
export function SettingsSection({ title, text, tag, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div className={classes.about}>
        <div className={classes.title}>
          <Title order={2} id={id} fz="lg">
            {title}
          </Title>
          {tag}
        </div>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </div>
      <div className={classes.card}>{children}</div>
    </section>
  );
}

interface RowProps {
  icon: ReactNode;
  title: ReactNode;
  tag?: ReactNode;
  text?: ReactNode;
  actions?: ReactNode;
  /** The actions are one small thing, such as a switch: they stay beside the words on phones too. */
  beside?: boolean;
}

export function SettingsRow({ icon, title, tag, text, actions, beside }: RowProps) {
  return (
    <div className={classes.row} data-beside={beside}>
      <span className={classes.icon} aria-hidden="true">
        {icon}
      </span>
      <div className={classes.words}>
        <div className={classes.name}>
          {title}
          {tag}
        </div>
        {text && <div className={classes.text}>{text}</div>}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}

/** Buttons about all rows of a section, below them. */
export function SettingsFooter({ children }: { children: ReactNode }) {
  return <div className={classes.footer}>{children}</div>;
}

/** Rows that are still on their way, as high as they will be. */
export function SettingsSkeleton({ rows = 1 }: { rows?: number }) {
  return Array.from({ length: rows }, (_, row) => (
    <div key={row} className={classes.row} aria-busy="true">
      <Skeleton height={32} width={32} radius="md" />
      <div className={classes.words}>
        <Skeleton height={14} width="35%" my={3} />
        <Skeleton height={12} width="55%" my={4} />
      </div>
      <div className={classes.actions}>
        <Skeleton className={classes.waitingButton} />
      </div>
    </div>
  ));
}

interface StateProps<Data> {
  data: Data | undefined;
  /** What went wrong, in words. */
  error: string | null;
  retry: () => void;
  /** How many rows there will be, as far as that can be known. */
  rows?: number;
  children: (data: Data) => ReactNode;
}

/** Loading, failed or there: no section may forget one of them. What is there stays while it is asked for again. */
export function SettingsState<Data>({ data, error, retry, rows, children }: StateProps<Data>) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error) return <ErrorState message={error} onRetry={retry} />;
  return <SettingsSkeleton rows={rows} />;
}
