import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../../ui/PageHeader';
import { ImportForm } from './ImportForm';
import { RecentImports } from './RecentImports';

/** Import of files: a trial with the columns' mapping, then the import, and an undo for a day. */
export function Component() {
  const { t } = useTranslation('admin');
  // A new form after each import.
  const [round, setRound] = useState(0);
  return (
    <>
      <PageHeader title={t('imports.title')} text={t('imports.text')} />
      <Stack gap="lg">
        <ImportForm key={round} onAgain={() => setRound(round + 1)} />
        <RecentImports />
      </Stack>
    </>
  );
}
