import { Button, type ButtonProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

type Props = Pick<ButtonProps, 'variant' | 'size' | 'fullWidth' | 'm' | 'mt' | 'className'> & {
  loading: boolean;
  onLoad: () => void;
  /** Other words than "Load more". */
  label?: string;
};

/** Gets the next page of a list. */
export function LoadMore({ loading, onLoad, label, variant = 'default', ...rest }: Props) {
  const { t } = useTranslation('common');
  return (
    <Button
      {...rest}
      variant={variant}
      // Not disabled while it loads: the focus would be lost.
      aria-disabled={loading}
      data-disabled={loading}
      onClick={() => {
        if (!loading) onLoad();
      }}
    >
      {loading ? t('loading') : (label ?? t('load_more'))}
    </Button>
  );
}
