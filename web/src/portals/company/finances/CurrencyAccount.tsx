import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { FinanceAccount, FinanceFigures } from '../../../api/types';
import { paths } from '../../../paths';
import { compact, money, month, number } from '../../../messages/format';
import { TimeChart } from '../../../ui/charts/TimeChart';
import { FigureTable, type FigureColumn } from '../../../ui/charts/FigureTable';
import { monthsSoFar, useRunningMonth } from '../../../shared/figures/months';
import { monthFilter } from '../../../shared/grid/daysFilter';
import { linkTo } from '../../../shared/linkTo';
import { InfoTooltip } from '../../../ui/InfoTooltip';
import { Section } from '../../../ui/Section';
import classes from './finances.module.css';

const amounts = ['ordered', 'invoiced', 'paid', 'commission'] as const;

interface AmountRow {
  figures: FinanceFigures;
}

/** Months from the first that has figures, up to the current one. */
function fromFirstOrder(months: FinanceAccount['months']): FinanceAccount['months'] {
  const isBlank = ({ spvs, ...sums }: FinanceFigures) =>
    spvs === 0 && Object.values(sums).every((sum) => Number(sum) === 0);
  const known = monthsSoFar(months);
  const first = known.findIndex(({ figures }) => !isBlank(figures));
  return known.slice(Math.max(0, first));
}

/** Account in one currency: totals, monthly chart, and tables that add up to them. */
export function CurrencyAccount({ account }: { account: FinanceAccount }) {
  const { t } = useTranslation(['reports', 'names']);
  const running = useRunningMonth();
  const navigate = useNavigate();
  const { currency, total } = account;
  const say = (amount: string) => money(amount, currency);
  const columns: FigureColumn<AmountRow>[] = [
    {
      key: 'spvs',
      header: t('finances.spvs'),
      explain: t('finances.spvs_text'),
      cell: ({ figures }) => number(figures.spvs),
      total: number(total.spvs),
    },
    ...amounts.map((name) => ({
      key: name,
      header: t(`finances.${name}`),
      explain: t(`finances.${name}_text`),
      cell: ({ figures }: AmountRow) => say(figures[name]),
      total: say(total[name]),
    })),
  ];
  // Without what is ordered: the price of the vehicles would press the rest to the zero line.
  const shown = ['invoiced', 'paid'] as const;
  const tables = [
    {
      name: 'by_month',
      first: t('finances.month'),
      rows: fromFirstOrder(account.months).map((row) => ({
        key: row.month,
        name: month(row.month),
        path: paths.companySpvsOf(monthFilter(row.month)),
        figures: row.figures,
      })),
    },
    {
      name: 'by_partner',
      first: t('finances.partner'),
      rows: account.partners.map((row) => ({
        key: row.iso_id ?? '',
        name: row.name ?? t('finances.unassigned'),
        path: row.iso_id ? paths.companySpvsOf({ iso: row.iso_id }) : undefined,
        figures: row.figures,
      })),
    },
    {
      name: 'by_country',
      first: t('finances.country'),
      rows: account.countries.map((row) => ({
        key: row.country,
        name: t(`names:country.${row.country}`),
        path: paths.companySpvsOf({ country: row.country }),
        figures: row.figures,
      })),
    },
  ];
  return (
    <Section title={t('finances.in', { currency })} flush>
      <dl className={classes.totals}>
        {amounts.map((name) => (
          <div key={name}>
            <dt>
              {t(`finances.${name}`)}
              <InfoTooltip about={t(`finances.${name}`)} text={t(`finances.${name}_text`)} />
            </dt>
            <dd>{say(total[name])}</dd>
          </div>
        ))}
        <div>
          <dt>
            {t('finances.due')}
            <InfoTooltip about={t('finances.due')} text={t('finances.due_text')} />
          </dt>
          <dd>{say(account.due)}</dd>
        </div>
      </dl>
      <div className={classes.chart}>
        <TimeChart
          rows={monthsSoFar(account.months)}
          rowKey={(row) => row.month}
          label={(row) => month(row.month, 'short')}
          title={(row) => month(row.month)}
          running={running}
          scale={compact}
          series={shown.map((name) => ({
            name: t(`finances.${name}`),
            value: (row: AmountRow) => Number(row.figures[name]),
            text: (row: AmountRow) => say(row.figures[name]),
          }))}
          onPick={(row) => void navigate(paths.companySpvsOf(monthFilter(row.month)))}
        />
      </div>
      {tables.map(({ name, first, rows }) => (
        <div key={name} className={classes.block}>
          <h3 className={classes.blockTitle}>{t(`finances.${name}`)}</h3>
          <FigureTable
            label={`${t(`finances.${name}`)} (${currency})`}
            first={{
              header: first,
              cell: (row) => (row.path ? linkTo(row.path)(row.name) : row.name),
              total: t('total'),
            }}
            columns={columns as FigureColumn<(typeof rows)[number]>[]}
            rows={rows}
            rowKey={(row) => row.key}
          />
        </div>
      ))}
    </Section>
  );
}
