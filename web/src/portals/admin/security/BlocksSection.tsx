import { Button } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import { dateTime } from '../../../messages/format';
import { actorName } from '../../../messages/actorName';
import { useSave } from '../../../shared/useSave';
import { SettingsFooter, SettingsRow, SettingsSection, SettingsState } from '../../../ui/Settings';
import { EmptyState } from '../../../ui/EmptyState';
import { toast } from '../../../ui/toasts';
import { BlockForm } from './BlockForm';
import classes from './security.module.css';

/** IP blocklist: networks whose requests are rejected. */
export function BlocksSection() {
  const { t } = useTranslation('users');
  const [adding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery(queries.addressBlocks());
  const unblock = useSave({
    save: async ({ id, network }: { id: string; network: string }) => {
      await body(api.DELETE('/rest/v1/address-blocks/{id}', { params: { path: { id } } }));
      return network;
    },
    invalidates: 'address',
    onSaved: (network) => {
      toast({ title: t('rules.unblocked'), description: network });
    },
  });
  return (
    <SettingsSection title={t('rules.blocks')} text={t('rules.blocks_text')}>
      <SettingsState data={data} error={error && errorText(error)} retry={() => void refetch()}>
        {(blocks) => (
          <>
            {blocks.length === 0 && <EmptyState icon={<IconBan size={20} />} title={t('rules.no_blocks')} />}
            <div role="list" aria-label={t('rules.blocks')}>
              {blocks.map((block) => (
                <div key={block.id} role="listitem">
                  <SettingsRow
                    icon={<IconBan size={17} />}
                    title={<span className={classes.network}>{block.network}</span>}
                    text={[
                      block.reason,
                      t('rules.blocked_by', {
                        name: actorName(t, block.created_by),
                        at: dateTime(block.created_at),
                      }),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                    actions={
                      <Button
                        variant="default"
                        aria-label={t('rules.unblock_of', { network: block.network })}
                        disabled={unblock.isPending}
                        onClick={() => unblock.mutate(block)}
                      >
                        {t('rules.unblock')}
                      </Button>
                    }
                  />
                </div>
              ))}
            </div>
            <SettingsFooter>
              <Button variant="default" onClick={() => setAdding(true)}>
                {t('rules.block')}
              </Button>
            </SettingsFooter>
          </>
        )}
      </SettingsState>
      {adding && <BlockForm onClose={() => setAdding(false)} />}
    </SettingsSection>
  );
}
