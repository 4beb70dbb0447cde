import { Button, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { number } from '../messages/format';
import classes from './Pager.module.css';

interface Props {
  /** 1-based. */
  page: number;
  perPage: number;
  total: number;
  onPage: (page: number) => void;
}

/** Pagination: range of rows with previous and next. */
export function Pager({ page, perPage, total, onPage }: Props) {
  const { t } = useTranslation('common');
  const from = Math.min((page - 1) * perPage + 1, total);
  const to = Math.min(page * perPage, total);
  return (
    <nav className={classes.pager} aria-label={t('pager.label')}>
      <Text size="sm" c="dimmed" className="num" aria-live="polite">
        {t('pager.text', { from: number(from), to: number(to), total: number(total) })}
      </Text>
      <div className={classes.buttons}>
        <Button variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          {t('pager.previous')}
        </Button>
        <Button variant="default" disabled={to >= total} onClick={() => onPage(page + 1)}>
          {t('pager.next')}
        </Button>
      </div>
    </nav>
  );
}
