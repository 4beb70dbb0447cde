import { Button, FileButton } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Noun } from '../../api/events';
import { useSave } from '../useSave';
import classes from './LogoField.module.css';

interface Props<Result> {
  src?: string | null;
  /** Kind of image; `alt` is its text. */
  label: string;
  alt: string;
  text: string;
  save: (file: File) => Promise<Result>;
  remove: () => Promise<Result>;
  onSaved: (result: Result) => void;
  invalidates: Noun;
}

/** Image field, saved on selection. */
export function LogoField<Result>(props: Props<Result>) {
  const { src, label, alt, text, save, remove, onSaved, invalidates } = props;
  const { t } = useTranslation('common');
  const saving = useSave({
    save: (file: File | null) => (file ? save(file) : remove()),
    onSaved,
    invalidates,
  });
  // Allows choosing the same file again.
  const forget = useRef<() => void>(null);
  return (
    <div className={classes.logo} role="group" aria-label={label}>
      {src ? (
        <img className={classes.picture} src={src} alt={alt} />
      ) : (
        <span className={`${classes.picture} ${classes.none}`} aria-hidden="true">
          <IconPhoto size={20} />
        </span>
      )}
      <p className={classes.text}>{text}</p>
      <div className={classes.buttons}>
        <FileButton
          accept="image/png,image/jpeg"
          inputProps={{ 'aria-label': label }}
          resetRef={forget}
          onChange={(file) => {
            if (file) saving.mutate(file);
            forget.current?.();
          }}
        >
          {(props) => (
            <Button variant="default" disabled={saving.isPending} {...props}>
              {saving.isPending ? t('saving') : src ? t('logo.replace') : t('logo.choose')}
            </Button>
          )}
        </FileButton>
        {src && (
          <Button variant="default" disabled={saving.isPending} onClick={() => saving.mutate(null)}>
            {t('logo.remove')}
          </Button>
        )}
      </div>
    </div>
  );
}
