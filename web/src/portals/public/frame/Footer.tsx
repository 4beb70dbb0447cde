import { useLandingMessages } from '../../../messages/landingMessages';
import { paths } from '../../../paths';
import { useSettings } from '../../../shared/settings/useSettings';
import { AppLink } from './AppLink';
import { Logo } from '../../../ui/Logo';
import { useBrand } from './useBrand';
import css from './Footer.module.css';

const year = import.meta.env.SSR ? '{{year}}' : new Date().getFullYear();

const operatorPages = ['pricing', 'careers', 'privacy'] as const;
const isOperatorPage = (name: string) => operatorPages.some((page) => page === name);

/** Operator pages are linked if they have a text. */
export function Footer() {
  const t = useLandingMessages();
  const brand = useBrand();
  const pages = useSettings()?.pages;
  const columns = [
    [
      'product',
      [
        ['features', `${paths.landing}#features`],
        ['pricing', pages?.pricing && paths.pricing],
        ['security', paths.security],
      ],
    ],
    [
      'support',
      [
        ['help', paths.help],
        ['contact', paths.contact],
        ['api', paths.apiDocs],
      ],
    ],
    [
      'company',
      [
        ['about', paths.about],
        ['careers', pages?.careers && paths.careers],
        ['privacy', pages?.privacy && paths.privacy],
      ],
    ],
  ] as const;
  return (
    <footer className={css.footer}>
      <div className={css.inner}>
        <div className={css.brand}>
          <span>
            <Logo size={20} /> {brand}
          </span>
          <p>{t('footer.tagline')}</p>
        </div>
        <nav className={css.columns} aria-label={t('footer.label')}>
          {columns.map(([column, links]) => (
            <div key={column}>
              <h2>{t(`footer.${column}`)}</h2>
              <ul>
                {links.map(([name, to]) =>
                  to ? (
                    <li key={name} data-setting={isOperatorPage(name) ? `pages.${name}` : undefined}>
                      <AppLink to={to}>{t(`footer.${name}`)}</AppLink>
                    </li>
                  ) : null,
                )}
              </ul>
            </div>
          ))}
        </nav>
        <p className={css.rights}>{t('footer.rights', { year, brand })}</p>
      </div>
    </footer>
  );
}
