import { useState } from 'react';
import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Password field with a labelled show button. */
export function PasswordField(props: PasswordInputProps) {
  const { t } = useTranslation('public');
  const [visible, setVisible] = useState(false);
  return (
    <PasswordInput
      {...props}
      // Mantine gives it no own color.
      aria-invalid={Boolean(props.error)}
      visible={visible}
      onVisibilityChange={setVisible}
      visibilityToggleButtonProps={{
        tabIndex: 0,
        'aria-label': t(visible ? 'password.hide' : 'password.show'),
      }}
    />
  );
}
