import { Button, type ButtonProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

type Props = Pick<ButtonProps, 'variant' | 'size' | 'fullWidth' | 'm' | 'mt' | 'className'> & {
  loading: boolean;
  onLoad: () => void;
  /** Custom label. */
  label?: string;
};

/** Load more button of a paginated list. */
export function LoadMore({ loading, onLoad, label, variant = 'default', ...rest }: Props) {
  const { t } = useTranslation('common');
  return (
    <Button
      {...rest}
      variant={variant}
      // Not disabled while loading, or the focus would be lost.
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
