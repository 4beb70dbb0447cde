import { Button } from '@mantine/core';
import { IconFileOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText, isStatus } from '../../api/errors';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { PageHeader } from '../../ui/PageHeader';
import { Crumb } from '../shell/Crumb';

/** The list that a record is in. */
export interface ParentList {
  to: string;
  name: string;
}

interface Props {
  error: Error;
  kind: string;
  list: ParentList;
  onRetry: () => void;
}

/** Page of a record that failed to load. One that does not exist offers its list: a retry cannot help. */
export function RecordError({ error, kind, list, onRetry }: Props) {
  const { t } = useTranslation('common');
  const isMissing = isStatus(error, 404);
  return (
    <>
      <PageHeader
        title={isMissing ? t('not_found.title', { kind }) : kind}
        trail={<Crumb to={list.to}>{list.name}</Crumb>}
      />
      {isMissing ? (
        <div role="alert">
          <EmptyState
            icon={<IconFileOff size={20} />}
            title={errorText(error)}
            action={
              <Button variant="default" component={Link} to={list.to}>
                {t('not_found.list', { list: list.name })}
              </Button>
            }
          />
        </div>
      ) : (
        <ErrorState message={errorText(error)} onRetry={onRetry} />
      )}
    </>
  );
}
