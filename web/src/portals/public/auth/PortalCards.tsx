import { IconBriefcase, IconBuilding, IconChevronRight, IconNetwork, IconUser } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Portal } from '../../../paths';
import { AppLink } from '../frame/AppLink';
import css from './PortalCards.module.css';

const icons: [Portal, typeof IconUser][] = [
  ['client', IconUser],
  ['employee', IconBriefcase],
  ['company', IconBuilding],
  ['iso', IconNetwork],
];

interface Props {
  /** Message prefix of the card texts. */
  words: 'selector' | 'signup';
  to: (portal: Portal) => string;
}

export function PortalCards({ words, to }: Props) {
  const { t } = useTranslation('public');
  return (
    <ul className={css.cards}>
      {icons.map(([portal, Icon]) => (
        <li key={portal}>
          <AppLink to={to(portal)} className={css.card}>
            <Icon size={20} stroke={1.5} aria-hidden="true" />
            <span className={css.name}>{t(`${words}.${portal}`)}</span>
            <span className={css.text}>{t(`${words}.${portal}_text`)}</span>
            <IconChevronRight size={16} stroke={1.5} aria-hidden="true" className={css.arrow} />
          </AppLink>
        </li>
      ))}
    </ul>
  );
}
