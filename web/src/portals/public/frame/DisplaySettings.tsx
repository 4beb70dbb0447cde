import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun, IconWorld } from '@tabler/icons-react';
import { useLandingMessages } from '../../../messages/landingMessages';
import { catalogueFor, languages, setLanguage, useLocale, type Language } from '../../../messages/locale';
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
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
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
      <button
        type="button"
        className={css.scheme}
        aria-label={t(`frame.to_${other}`)}
        onClick={() => setColorScheme(other)}
      >
        {scheme === 'dark' ? <IconSun size={18} stroke={1.5} /> : <IconMoon size={18} stroke={1.5} />}
      </button>
    </div>
  );
}
