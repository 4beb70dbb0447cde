import { useTranslation } from 'react-i18next';
import { percent } from '../../messages/format';

interface Props {
  now: number | undefined;
  before: number | undefined;
  /** What it is compared with: "October", "Jan 1 – Nov 28, 2025". */
  than: string;
}

/** "▲ 12% more than in October"; nothing without a figure to compare with. */
export function Change({ now, before, than }: Props) {
  const { t } = useTranslation('dashboards');
  if (now === undefined || !before) return null;
  const share = Math.round((100 * (now - before)) / before);
  const sign = share > 0 ? '▲' : share < 0 ? '▼' : '';
  return (
    <span className="num">
      {sign && <span aria-hidden="true">{sign} </span>}
      {share === 0
        ? t('change.same', { than })
        : t(share > 0 ? 'change.up' : 'change.down', { percent: percent(Math.abs(share)), than })}
    </span>
  );
}
