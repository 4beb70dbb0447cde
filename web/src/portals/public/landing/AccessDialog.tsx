import { useLayoutEffect, useRef, useState } from 'react';
import { useLandingMessages } from '../../../messages/landingMessages';
import { IconBriefcase, IconBuilding, IconNetwork, IconUser, IconX } from '@tabler/icons-react';
import { useNavigateAnywhere } from '../frame/AppLink';
import { paths } from '../../../paths';
import button from '../frame/Button.module.css';
import css from './AccessDialog.module.css';

const portals = [
  ['clients', paths.login('client'), IconUser],
  ['employees', paths.login('employee'), IconBriefcase],
  ['companies', paths.login('company'), IconBuilding],
  ['isos', paths.login('iso'), IconNetwork],
] as const;

interface Props {
  brand: string;
  /** A visitor was redirected from a protected page. */
  redirected: boolean;
  onClose: () => void;
}

/** Native modal dialog: focus trap, Escape and inert background. */
export function AccessDialog({ brand, redirected, onClose }: Props) {
  const t = useLandingMessages();
  const go = useNavigateAnywhere();
  const dialog = useRef<HTMLDialogElement>(null);
  const [path, setPath] = useState<string>();

  // Before unmount: closing restores the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  return (
    <dialog
      ref={dialog}
      className={css.dialog}
      aria-labelledby="access-title"
      aria-describedby="access-lead"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <form
        className={css.body}
        onSubmit={(event) => {
          event.preventDefault();
          go(path ?? paths.portalSelector);
        }}
      >
        <h2 id="access-title">{brand}</h2>
        <p id="access-lead" className={css.lead}>
          {t(redirected ? 'access.wanted' : 'access.lead')}
        </p>
        <fieldset className={css.portals}>
          <legend className={css.legend}>{t('access.lead')}</legend>
          {portals.map(([portal, to, Icon]) => (
            <label key={portal} className={css.portal}>
              <input
                type="radio"
                name="portal"
                value={portal}
                aria-labelledby={`access-${portal}`}
                aria-describedby={`access-${portal}-text`}
                onChange={() => setPath(to)}
              />
              <Icon size={20} stroke={1.5} aria-hidden="true" />
              <span id={`access-${portal}`} className={css.name}>
                {t(`access.${portal}`)}
              </span>
              <span id={`access-${portal}-text`} className={css.text}>
                {t(`access.${portal}_text`)}
              </span>
            </label>
          ))}
        </fieldset>
        <button type="submit" className={button.primary}>
          {t('access.continue')}
        </button>
        <p className={css.note}>{t('access.note')}</p>
        <button type="button" className={css.close} aria-label={t('access.close')} onClick={onClose}>
          <IconX size={18} stroke={1.5} aria-hidden="true" />
        </button>
      </form>
    </dialog>
  );
}
