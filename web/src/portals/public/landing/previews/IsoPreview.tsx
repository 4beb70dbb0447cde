import { useLandingMessages } from '../../../../messages/landingMessages';
import { Status } from './Status';
import css from './previews.module.css';

const clients = [
  ['client_1', 'processing'],
  ['client_2', 'active'],
  ['client_3', 'closed'],
] as const;

const sums = [
  ['earned', 'earned_figure'],
  ['month', 'month_figure'],
  ['pending', 'pending_figure'],
] as const;

export function IsoPreview() {
  const t = useLandingMessages();
  return (
    <div className={css.split}>
      <div className={css.block}>
        <h3 id="preview-portfolio">{t('preview.portfolio')}</h3>
        <table className={css.table} aria-labelledby="preview-portfolio">
          <thead>
            <tr>
              <th scope="col">{t('preview.client')}</th>
              <th scope="col">{t('preview.spv_status')}</th>
              <th scope="col">{t('preview.commission')}</th>
            </tr>
          </thead>
          <tbody>
            {clients.map(([client, status]) => (
              <tr key={client}>
                <th scope="row">{t(`preview.${client}`)}</th>
                <td>
                  <Status status={status} />
                </td>
                <td>{t(`preview.${client}_commission`)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className={css.block}>
        <h3>{t('preview.summary')}</h3>
        <dl className={css.sums}>
          {sums.map(([name, figure]) => (
            <div key={name}>
              <dt>{t(`preview.${name}`)}</dt>
              <dd>{t(`preview.${figure}`)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}
