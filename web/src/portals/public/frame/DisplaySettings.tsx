import { useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun, IconWorld } from '@tabler/icons-react';
import { useLandingMessages } from '../../../messages/landingMessages';
import { catalogueFor, languages, setLanguage, type Language } from '../../../messages/locale';
import { useLocale } from '../../../messages/useLocale';
import css from './DisplaySettings.module.css';

/** Language names in their own language. */
const languageNames: Record<Language, string> = {
  'en-US': 'English (US)',
  'en-GB': 'English (UK)',
  es: 'Español',
};

export function DisplaySettings() {
  const t = useLandingMessages();
  const { language } = useLocale();
  const { toggleColorScheme } = useMantineColorScheme();
  return (
    <div className={css.switches}>
      <label className={css.language}>
        <IconWorld size={18} stroke={1.5} aria-hidden="true" />
        <span aria-hidden="true">{catalogueFor(language).toUpperCase()}</span>
        <select
          aria-label={t('frame.language')}
          value={language}
          onChange={(event) => void setLanguage(event.target.value as Language)}
        >
          {languages.map((choice) => (
            <option key={choice} value={choice} lang={choice}>
              {languageNames[choice]}
            </option>
          ))}
        </select>
      </label>
      <button type="button" className={css.scheme} onClick={toggleColorScheme}>
        {/* Both: the prerendered page does not know the scheme. */}
        <span className={css.inLight}>
          <IconMoon size={18} stroke={1.5} aria-hidden="true" />
          <span className="sr-only">{t('frame.to_dark')}</span>
        </span>
        <span className={css.inDark}>
          <IconSun size={18} stroke={1.5} aria-hidden="true" />
          <span className="sr-only">{t('frame.to_light')}</span>
        </span>
      </button>
    </div>
  );
}
