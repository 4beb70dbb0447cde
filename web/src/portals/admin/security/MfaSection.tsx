import { Switch } from '@mantine/core';
import { IconShieldLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Role } from '../../../api/types';
import { SettingsRow, SettingsSection, SettingsState } from '../../../ui/Settings';
import { roles } from '../users/filters';
import { useSecuritySettings } from './useSecuritySettings';

const DEFAULT_RULES = { client: null, iso: null, employee: null, company_admin: null, super_admin: null };

/** Required MFA by role. */
export function MfaSection() {
  const { t } = useTranslation(['users', 'names']);
  const { data, error, retry, save } = useSecuritySettings();
  return (
    <SettingsSection title={t('rules.mfa')} text={t('rules.mfa_text')}>
      <SettingsState data={data} error={error} retry={retry} rows={5}>
        {({ require_mfa: needs, system, version }) => {
          // Unset roles keep their default.
          const rules = system?.require_mfa ?? DEFAULT_RULES;
          const set = (role: Role, needed: boolean) =>
            save.mutate({ version, change: { require_mfa: { ...rules, [role]: needed } } });
          return (
            <div role="list" aria-label={t('rules.mfa')}>
              {roles.map((role) => (
                <div key={role} role="listitem">
                  <SettingsRow
                    icon={<IconShieldLock size={17} />}
                    title={t(`names:role.${role}`)}
                    text={needs[role] ? t('rules.mfa_needed') : t('rules.mfa_free')}
                    beside
                    actions={
                      <Switch
                        aria-label={t('rules.mfa_of', { role: t(`names:role.${role}`) })}
                        checked={needs[role]}
                        disabled={save.isPending}
                        onChange={(event) => set(role, event.currentTarget.checked)}
                      />
                    }
                  />
                </div>
              ))}
            </div>
          );
        }}
      </SettingsState>
    </SettingsSection>
  );
}
