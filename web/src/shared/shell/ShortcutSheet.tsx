import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isApple } from './keys';
import type { NavItem } from './navigation';
import { useShownPageKeys, type PageKeys } from './registry';
import classes from './ShortcutSheet.module.css';

interface Props {
  opened: boolean;
  items: NavItem[];
  onClose: () => void;
}

/** Sheet of all keys: everywhere, on this page, and `g` with a letter. */
export function ShortcutSheet({ opened, items, onClose }: Props) {
  const { t } = useTranslation(['shell', 'common']);
  const page = useShownPageKeys();
  const everywhere: PageKeys[] = [
    { keys: [isApple ? '⌘' : 'Ctrl', 'K'], label: t('keys.palette') },
    { keys: ['?'], label: t('keys.sheet') },
    { keys: ['['], label: t('sidebar.collapse') },
  ];
  const go = items.flatMap(({ goKey, label }) =>
    goKey ? [{ keys: ['G', goKey.toUpperCase()], label }] : [],
  );
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('keys.title')}
      size={640}
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <div className={classes.columns}>
        <div>
          <Group title={t('keys.everywhere')} keys={everywhere} />
          {page.length > 0 && <Group title={t('keys.page')} keys={page} />}
        </div>
        <Group title={t('keys.go')} keys={go} />
      </div>
    </Modal>
  );
}

function Group({ title, keys }: { title: string; keys: PageKeys[] }) {
  return (
    <section className={classes.group}>
      <h3 className={classes.title}>{title}</h3>
      <dl className={classes.list}>
        {keys.map((entry) => (
          <div key={entry.label} className={classes.row}>
            <dt>{entry.label}</dt>
            <dd>
              {entry.keys.map((key) => (
                <kbd key={key} className={classes.key}>
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
