import { Button, Group } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { Service } from '../../../api/types';
import { ExportButton } from '../../../shared/ExportButton';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { useMe } from '../../../shared/session/me';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { EmptyState } from '../../../ui/EmptyState';
import type { GridColumn } from '../../../ui/grid/columns';
import { Money } from '../../../ui/Money';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';
import { Tag } from '../../../ui/Tag';
import { toast } from '../../../ui/toasts';
import { ServiceForm } from './ServiceForm';

const exportServices = () => body(api.GET('/rest/v1/services.csv', { parseAs: 'blob' }));

/** Price list: staff read, super admins edit. */
export function Component() {
  const { t } = useTranslation(['employee', 'names']);
  const mayEdit = useMe().role === 'super_admin';
  const [editing, setEditing] = useState<Service | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Service | null>(null);
  const { data, error, refetch } = useQuery(queries.services());
  const columns: GridColumn<Service>[] = [
    {
      key: 'name',
      header: t('names:field.service_id'),
      phone: 'title',
      cell: (service) => service.name,
    },
    {
      key: 'country',
      header: t('names:field.country'),
      phone: 'text',
      cell: (service) => t(`names:country.${service.country}`),
    },
    {
      key: 'price',
      header: t('services.price'),
      align: 'right',
      phone: 'side',
      cell: (service) => <Money amount={service.price} currency={service.currency} />,
    },
    {
      key: 'filing_fee',
      header: t('names:field.filing_fee'),
      explain: t('services.filing_fee_text'),
      align: 'right',
      phone: 'end',
      cell: (service) =>
        Number(service.filing_fee) > 0 && <Money amount={service.filing_fee} currency={service.currency} />,
    },
    {
      key: 'active',
      header: t('services.offered'),
      cell: (service) =>
        service.active ? t('services.yes') : <Tag tone="rest">{t('services.not_offered')}</Tag>,
    },
  ];
  if (mayEdit) {
    columns.push({
      key: 'actions',
      header: t('services.actions'),
      actions: true,
      phone: 'below',
      cell: (service) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            variant="default"
            size="compact-sm"
            aria-label={t('services.edit_of', { name: service.name })}
            onClick={() => setEditing(service)}
          >
            {t('services.edit')}
          </Button>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('services.delete_of', { name: service.name })}
            onClick={() => setDeleting(service)}
          >
            {t('services.delete')}
          </Button>
        </Group>
      ),
    });
  }
  return (
    <>
      <PageHeader
        title={t('services.title')}
        text={t('services.text')}
        actions={
          <Group gap="sm">
            <ExportButton name="services" load={exportServices} />
            {mayEdit && <Button onClick={() => setEditing('new')}>{t('services.add')}</Button>}
          </Group>
        }
      />
      <Section title={t('services.all')} flush>
        <RowGrid
          main
          label={t('services.all')}
          columns={columns}
          state={{ rows: data, error: error ? errorText(error) : null, retry: () => void refetch() }}
          rowKey={(service) => service.id}
          empty={
            <EmptyState
              icon={<IconTags size={20} />}
              title={t('services.none')}
              text={mayEdit ? t('services.none_text') : t('services.none_text_staff')}
            />
          }
        />
      </Section>
      {editing && (
        <ServiceForm service={editing === 'new' ? undefined : editing} onClose={() => setEditing(null)} />
      )}
      {deleting && <DeleteService service={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function DeleteService({ service, onClose }: { service: Service; onClose: () => void }) {
  const { t } = useTranslation('employee');
  const remove = useSave({
    save: async () => {
      await body(api.DELETE('/rest/v1/services/{id}', { params: versionedBody(service) }));
    },
    invalidates: 'service',
    onSaved: () => {
      toast({ title: t('services.deleted'), description: service.name });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={t('services.delete_title', { name: service.name })}
      confirmLabel={t('services.delete')}
      busyLabel={t('deleting')}
      busy={remove.isPending}
      danger
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      {t('services.delete_text')}
    </ConfirmDialog>
  );
}
