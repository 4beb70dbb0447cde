import { Button } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { queries } from '../../../api/queries';
import { errorText } from '../../../api/errors';
import type { ImportSummary } from '../../../api/types';
import { actorName } from '../../../messages/actorName';
import { dateTime, number } from '../../../messages/format';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import type { GridColumn } from '../../../ui/grid/columns';
import { Section } from '../../../ui/Section';
import { toast } from '../../../ui/toasts';

/** Imports that created rows, each with an undo for a day. */
export function RecentImports() {
  const { t } = useTranslation(['admin', 'names']);
  const { data, error, refetch, dataUpdatedAt } = useQuery(queries.imports());
  const [undoing, setUndoing] = useState<ImportSummary | null>(null);
  const columns: GridColumn<ImportSummary>[] = [
    { key: 'file', phone: 'title', header: t('imports.file'), cell: ({ file_name: name }) => name || '–' },
    { key: 'kind', phone: 'text', header: t('imports.kind'), cell: ({ kind }) => t(`imports.kinds.${kind}`) },
    { key: 'created', header: t('imports.created'), align: 'right', cell: ({ created }) => number(created) },
    { key: 'by', header: t('imports.by'), cell: ({ created_by: by }) => actorName(t, by) },
    {
      key: 'at',
      phone: 'end',
      header: t('imports.at'),
      cell: ({ created_at: at }) => <RelativeTime at={at} />,
    },
    {
      key: 'undo',
      phone: 'side',
      header: t('imports.undo'),
      actions: true,
      cell: (row) =>
        row.undone_at ? (
          t('imports.undone', { n: number(row.removed) })
        ) : Date.parse(row.undo_until) > dataUpdatedAt ? (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={
              row.file_name
                ? t('imports.undo_of', { name: row.file_name })
                : t('imports.undo_of_unnamed', {
                    kind: t(`imports.kinds.${row.kind}`),
                    when: dateTime(row.created_at),
                  })
            }
            onClick={() => setUndoing(row)}
          >
            {t('imports.undo')}
          </Button>
        ) : null,
    },
  ];
  return (
    <>
      <Section title={t('imports.recent')} flush>
        <RowGrid
          label={t('imports.recent')}
          columns={columns}
          state={{ rows: data?.items, error: error ? errorText(error) : null, retry: () => void refetch() }}
          rowKey={({ id }) => id}
          empty={
            <EmptyState
              icon={<IconFileSpreadsheet size={20} />}
              title={t('imports.none')}
              text={t('imports.none_text')}
            />
          }
        />
      </Section>
      {undoing && <UndoDialog of={undoing} onClose={() => setUndoing(null)} />}
    </>
  );
}

function UndoDialog({ of, onClose }: { of: ImportSummary; onClose: () => void }) {
  const { t } = useTranslation('admin');
  const undo = useSave({
    save: () => body(api.POST('/rest/v1/imports/{id}/undo', { params: { path: { id: of.id } } })),
    onSaved: ({ removed, kept_total: kept }) => {
      toast({
        title: t('imports.undone', { n: number(removed) }),
        description: kept > 0 ? t('imports.kept', { count: kept, n: number(kept) }) : undefined,
      });
      onClose();
    },
    invalidates: 'import',
  });
  return (
    <ConfirmDialog
      title={of.file_name ? t('imports.undo_title', { name: of.file_name }) : t('imports.undo_title_unnamed')}
      confirmLabel={t('imports.undo')}
      busyLabel={t('imports.undoing')}
      busy={undo.isPending}
      danger
      onConfirm={() => undo.mutate(undefined)}
      onClose={onClose}
    >
      {t('imports.undo_text', { count: of.created, n: number(of.created) })}
    </ConfirmDialog>
  );
}
