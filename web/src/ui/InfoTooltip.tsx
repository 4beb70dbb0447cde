import { Tooltip } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './InfoTooltip.module.css';

interface Props {
  /** What it explains: the button is named "About {{about}}". */
  about: string;
  text: string;
}

/** Info button whose text shows on hover, focus and touch, and describes the button to screen readers. */
export function InfoTooltip({ about, text }: Props) {
  const { t } = useTranslation('common');
  const id = useId();
  return (
    <>
      <Tooltip
        label={text}
        multiline
        maw={280}
        openDelay={300}
        events={{ hover: true, focus: true, touch: true }}
      >
        <button
          type="button"
          className={classes.sign}
          aria-label={t('about', { name: about })}
          aria-describedby={id}
        >
          <IconInfoCircle size={14} aria-hidden="true" />
        </button>
      </Tooltip>
      <span id={id} hidden>
        {text}
      </span>
    </>
  );
}
