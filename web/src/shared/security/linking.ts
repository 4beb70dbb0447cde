import type { User } from '@supabase/auth-js';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { currentPath } from '../../basePath';
import { tabStore } from '../../api/browserStorage';
import { toast } from '../../ui/toasts';
import { identityFor } from './accountQueries';

/** Provider of a pending link, to tell the callback from a reload. */
const STORAGE_KEY = 'spv-linking';

export function saveLinkingProvider(provider: string): void {
  tabStore.setItem(STORAGE_KEY, provider);
}

/** Handles the identity link callback: shows the outcome and cleans the URL. */
export function useLinkOutcome(user: User | undefined): void {
  const { t } = useTranslation('security');
  const navigate = useNavigate();
  const notified = useRef(false);
  useEffect(() => {
    const provider = tabStore.getItem(STORAGE_KEY);
    if (!provider || !user || notified.current) return;
    notified.current = true;
    tabStore.removeItem(STORAGE_KEY);
    const url = new URL(location.href);
    const refusal =
      url.searchParams.get('error_code') ?? new URLSearchParams(url.hash.slice(1)).get('error_code');
    const name = t(`identities.provider.${provider}`, { defaultValue: provider });
    if (refusal) {
      const description = t(`errors:${refusal}`, { defaultValue: t('identities.not_linked_text') });
      toast({ title: t('identities.not_linked'), description, destructive: true });
    } else if (identityFor(user, provider)) {
      toast({
        title: t('identities.linked', { provider: name }),
        description: t('identities.linked_text'),
      });
    }
    for (const added of ['code', 'error', 'error_code', 'error_description']) url.searchParams.delete(added);
    void navigate(currentPath() + url.search, { replace: true, preventScrollReset: true });
  }, [user, t, navigate]);
}
