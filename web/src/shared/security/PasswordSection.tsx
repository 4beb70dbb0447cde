import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SettingsRow, SettingsSection } from '../../ui/Settings';
import { ChangePassword } from './ChangePassword';
import { useStepUp } from './StepUp';

export function PasswordSection() {
  const { t } = useTranslation('security');
  const stepUp = useStepUp();
  const [changing, setChanging] = useState(false);
  return (
    <SettingsSection title={t('password.title')} text={t('password.text')}>
      <SettingsRow
        icon={<IconKey size={17} />}
        title={t('password.row')}
        text={t('password.row_text')}
        actions={
          <Button variant="default" onClick={() => stepUp(() => setChanging(true))}>
            {t('password.change')}
          </Button>
        }
      />
      {changing && <ChangePassword onClose={() => setChanging(false)} />}
    </SettingsSection>
  );
}
