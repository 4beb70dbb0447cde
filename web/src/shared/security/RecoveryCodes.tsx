import { Button, Checkbox, Text } from '@mantine/core';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { date, todayInUserZone } from '../../messages/format';
import { CopyButton } from '../../ui/CopyButton';
import { saveText } from '../../ui/saveText';
import classes from './RecoveryCodes.module.css';

interface Props {
  codes: string[];
  onDone: () => void;
}

/** New recovery codes, shown once: the server stores hashes only. */
export function RecoveryCodes({ codes, onDone }: Props) {
  const { t } = useTranslation(['security', 'common']);
  const [saved, setSaved] = useState(false);
  const [tried, setTried] = useState(false);
  const heading = useHeading();
  const text = [...heading, '', ...codes, '', t('codes.once_each')].join('\n');

  const done = () => {
    setTried(true);
    if (saved) onDone();
  };

  return (
    <div className={classes.box}>
      <Text size="sm">{t('codes.shown_once')}</Text>
      <ol className={classes.codes} aria-label={t('codes.title')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className={classes.ways}>
        <CopyButton text={codes.join('\n')} name={t('codes.title')} />
        <Button
          variant="default"
          leftSection={<IconDownload size={15} />}
          onClick={() => saveText(t('codes.file_name'), text)}
        >
          {t('codes.download')}
        </Button>
        <Button variant="default" leftSection={<IconPrinter size={15} />} onClick={() => window.print()}>
          {t('codes.print')}
        </Button>
      </div>
      <Checkbox
        label={t('codes.saved')}
        checked={saved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
        error={tried && !saved && t('codes.save_first')}
      />
      <Button className={classes.done} onClick={done}>
        {t('common:done')}
      </Button>
      {createPortal(<Sheet heading={heading} codes={codes} />, document.body)}
    </div>
  );
}

/** Print-only content. */
function Sheet({ heading, codes }: { heading: string[]; codes: string[] }) {
  const { t } = useTranslation('security');
  return (
    <div className={classes.sheet} aria-hidden="true">
      {heading.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <ol>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <p>{t('codes.once_each')}</p>
    </div>
  );
}

/** Owner and date of the codes, for a printed list. */
function useHeading(): string[] {
  const { t } = useTranslation('security');
  const { data: me } = useQuery(queries.me());
  const { data: settings } = useQuery(queries.settings());
  return [
    [settings?.brand_name, t('codes.title')].filter(Boolean).join(': '),
    [me?.email, date(todayInUserZone())].filter(Boolean).join(', '),
  ];
}
