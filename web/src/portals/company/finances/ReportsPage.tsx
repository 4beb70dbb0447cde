import { Stack } from '@mantine/core';
import { IconFileSpreadsheet, IconPrinter } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import { todayInUserZone } from '../../../messages/format';
import { ExportButton } from '../../../shared/ExportButton';
import { useParam } from '../../../shared/queryParams';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { ChoiceFilter } from '../../../ui/ChoiceFilter';
import { LoadMore } from '../../../ui/LoadMore';
import { PageHeader } from '../../../ui/PageHeader';
import { saveBlob } from '../../../ui/saveText';
import { toast } from '../../../ui/toasts';
import { useCompany } from '../companyContext';
import { reportCsv, reportXlsx } from './exports';
import { PrintableReport } from './PrintableReport';
import classes from './report.module.css';
import { reports } from './report';
import { Schedules } from './Schedules';
import { useDateRange } from '../../../shared/figures/dateRange';

/** Maximum number of pages loaded for printing. */
const MAX_PRINT_PAGES = 100;

/** Reports on the screen, as file and in print, with mail schedules. */
export function Component() {
  const { t } = useTranslation(['reports', 'names', 'employee']);
  const company = useCompany();
  const [chosen, choose] = useParam('report');
  const report = reports.find((known) => known === chosen) ?? 'portfolio';
  const { range, period, filter } = useDateRange();
  const reportQuery = { company_id: company.id, report, ...range };
  const query = useInfiniteQuery(queries.report({ ...reportQuery, limit: 100 }));
  const print = useSave({
    // Printing loads all pages, not only the visible ones.
    save: async () => {
      let page = query;
      for (let n = 0; page.hasNextPage && n < MAX_PRINT_PAGES; n += 1) {
        page = (await page.fetchNextPage()) as typeof query;
        if (page.isError) throw page.error;
      }
      return !page.hasNextPage;
    },
    onSaved: (whole) => {
      if (whole) setTimeout(() => globalThis.print(), 50);
      else toast({ title: t('print_too_long'), description: t('print_too_long_text'), destructive: true });
    },
  });
  const excel = useSave({
    save: () => reportXlsx(reportQuery),
    onSaved: (blob) => {
      const file = `${report}-${todayInUserZone()}.xlsx`;
      saveBlob(file, blob);
      toast({ title: t('employee:export.done'), description: file });
    },
  });
  return (
    <>
      <div className={classes.screen}>
        <PageHeader
          title={t('title')}
          text={t('text')}
          actions={
            <>
              <ExportButton name={report} load={() => reportCsv(reportQuery)} />
              <BusyButton
                variant="default"
                leftSection={<IconFileSpreadsheet size={16} aria-hidden="true" />}
                busy={excel.isPending}
                label={t('excel')}
                busyLabel={t('employee:export.busy')}
                onClick={() => excel.mutate()}
              />
              <BusyButton
                variant="default"
                leftSection={<IconPrinter size={16} aria-hidden="true" />}
                busy={print.isPending}
                label={t('print')}
                busyLabel={t('printing')}
                onClick={() => print.mutate()}
              />
            </>
          }
        />
        <div className={classes.filters}>
          <ChoiceFilter
            label={t('names:field.report')}
            value={report}
            choices={reports.map((value) => ({ value, label: t(`names:report.${value}`) }))}
            onChange={choose}
          />
          {filter}
        </div>
      </div>
      <Stack gap="md">
        <PrintableReport query={query} />
        {query.hasNextPage && (
          <div className={classes.more}>
            <LoadMore loading={query.isFetchingNextPage} onLoad={() => void query.fetchNextPage()} />
          </div>
        )}
        {/* Below the report, whatever its length. */}
        {!query.isPending && (
          <div className={classes.screen}>
            <Schedules report={report} period={period} />
          </div>
        )}
      </Stack>
    </>
  );
}
