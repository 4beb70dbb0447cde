import { useState } from 'react';
import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** A password with a named button that shows it. */
export function PasswordField(props: PasswordInputProps) {
  const { t } = useTranslation('public');
  const [visible, setVisible] = useState(false);
  return (
    <PasswordInput
      {...props}
      // The component itself leaves this to its neighbours' colours.
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
