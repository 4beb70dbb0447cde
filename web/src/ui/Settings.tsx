import { Skeleton, Text, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { ErrorState } from './ErrorState';
import classes from './Settings.module.css';

/** List of settings sections. */
export function Settings({ children }: { children: ReactNode }) {
  return <div className={classes.sections}>{children}</div>;
}

interface SectionProps {
  title: string;
  text: string;
  /** Status beside the title. */
  tag?: ReactNode;
  children: ReactNode;
}

/** Settings section: description and controls. */
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
  /** Small control such as a switch: stays beside the text on phones. */
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

/** Buttons below all rows. */
export function SettingsFooter({ children }: { children: ReactNode }) {
  return <div className={classes.footer}>{children}</div>;
}

/** Skeleton rows. */
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
  /** Error message. */
  error: string | null;
  retry: () => void;
  /** Expected number of rows. */
  rows?: number;
  children: (data: Data) => ReactNode;
}

/** Loading, error or content. Content stays during a refetch. */
export function SettingsState<Data>({ data, error, retry, rows, children }: StateProps<Data>) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error) return <ErrorState message={error} onRetry={retry} />;
  return <SettingsSkeleton rows={rows} />;
}
