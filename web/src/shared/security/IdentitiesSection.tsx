import type { Provider, UserIdentity } from '@supabase/auth-js';
import { Button } from '@mantine/core';
import { IconBrandGoogle, IconBrandWindows } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { auth } from '../../api/session';
import { SettingsRow, SettingsSection, SettingsState } from '../../ui/Settings';
import { toast } from '../../ui/toasts';
import { unwrapAuthResult } from '../auth/unwrapAuthResult';
import { saveLinkingProvider, useLinkOutcome } from './linking';
import { identityFor, accountQueries } from './accountQueries';
import { withReauthentication } from './reauthentication';
import { useStepUp } from './StepUp';
import { UnlinkIdentity } from './UnlinkIdentity';

const icons: Record<string, typeof IconBrandGoogle> = { google: IconBrandGoogle, azure: IconBrandWindows };

/** Linked identities. Hidden without configured providers. */
export function IdentitiesSection() {
  const { t } = useTranslation('security');
  const [unlinking, setUnlinking] = useState<UserIdentity>();
  const { data: settings } = useQuery(queries.settings());
  const { data, error, refetch } = useQuery(accountQueries.user());
  useLinkOutcome(data);
  const providers = settings?.sign_in_providers ?? [];
  if (providers.length === 0) return null;
  return (
    <SettingsSection title={t('identities.title')} text={t('identities.text')}>
      <SettingsState
        data={data}
        error={error && errorText(error)}
        retry={() => void refetch()}
        rows={providers.length}
      >
        {(user) =>
          providers.map((provider) => (
            <ProviderRow
              key={provider}
              provider={provider}
              identity={identityFor(user, provider)}
              onUnlink={setUnlinking}
            />
          ))
        }
      </SettingsState>
      {unlinking && <UnlinkIdentity identity={unlinking} onClose={() => setUnlinking(undefined)} />}
    </SettingsSection>
  );
}

interface RowProps {
  provider: string;
  identity: UserIdentity | undefined;
  onUnlink: (identity: UserIdentity) => void;
}

function ProviderRow({ provider, identity, onUnlink }: RowProps) {
  const { t } = useTranslation(['security', 'common']);
  const stepUp = useStepUp();
  const name = t(`identities.provider.${provider}`, { defaultValue: provider });
  const Icon = icons[provider] ?? IconBrandWindows;
  const link = useMutation({
    mutationFn: () => {
      saveLinkingProvider(provider);
      const redirectTo = location.origin + location.pathname + location.search;
      // Redirects to the provider.
      return withReauthentication(() =>
        unwrapAuthResult(auth.linkIdentity({ provider: provider as Provider, options: { redirectTo } })),
      );
    },
    onError: (error) => toast({ title: t('common:error'), description: errorText(error), destructive: true }),
  });
  return (
    <SettingsRow
      icon={<Icon size={17} />}
      title={name}
      text={identity ? String(identity.identity_data?.email ?? '') : t('identities.none')}
      actions={
        identity ? (
          <Button
            variant="default"
            aria-label={t('identities.unlink_of', { provider: name })}
            onClick={() => stepUp(() => onUnlink(identity))}
          >
            {t('identities.unlink')}
          </Button>
        ) : (
          <Button
            variant="default"
            aria-label={t('identities.link_of', { provider: name })}
            disabled={link.isPending}
            onClick={() => stepUp(() => link.mutate())}
          >
            {t('identities.link')}
          </Button>
        )
      }
    />
  );
}
