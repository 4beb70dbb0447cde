import '@mantine/dropzone/styles.layer.css';
import { Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText, fieldErrors } from '../../../api/errors';
import type { ImportReport } from '../../../api/types';
import { bytes, number } from '../../../messages/format';
import { paths } from '../../../paths';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { ErrorState } from '../../../ui/ErrorState';
import { Section } from '../../../ui/Section';
import { ColumnMapping } from './ColumnMapping';
import { importFile, initialOptions, isWorkbook, kinds, type ImportOptions } from './importFile';
import { ImportOutcome } from './ImportOutcome';
import { ReadOptions } from './ReadOptions';
import { useTrial, type ChosenFile } from './useTrial';

/** The list that shows the rows of each kind. */
const listOf = {
  clients: { name: 'clients', path: paths.employeeClients },
  companies: { name: 'companies', path: paths.employeeCompanies },
  isos: { name: 'isos', path: paths.employeeIsos },
  spvs: { name: 'spvs', path: paths.employeeSpvs },
  invoices: { name: 'invoices', path: paths.employeeInvoices },
  payments: { name: 'invoices', path: paths.employeeInvoices },
} as const satisfies Record<ImportOptions['kind'], { name: string; path: string }>;

/** Rows that a trial would change or an import has changed. */
const changesOf = ({ counts }: ImportReport) => counts.created + counts.updated;

interface Props {
  /** Begins with a new file. */
  onAgain: () => void;
}

/** Chooses a file, tries it with each change of the options, and imports it. */
export function ImportForm({ onAgain }: Props) {
  const { t } = useTranslation('admin');
  const [chosen, setChosen] = useState<ChosenFile | null>(null);
  const [options, setOptions] = useState(initialOptions);
  const change = (changed: Partial<ImportOptions>) => setOptions({ ...options, ...changed });
  const trial = useTrial(chosen, options);
  const run = useSave({
    save: (file: File) => importFile(file, options, false),
    onSaved: () => undefined,
    invalidates: 'import',
  });
  if (run.data) {
    const list = listOf[options.kind];
    return (
      <Section title={t('imports.done')} takesFocus>
        <Stack gap="md">
          <ImportOutcome report={run.data} />
          <Group gap="sm">
            <Button onClick={onAgain}>{t('imports.again')}</Button>
            {changesOf(run.data) > 0 && (
              <Button component={Link} to={list.path} variant="default">
                {t(`imports.view.${list.name}`)}
              </Button>
            )}
          </Group>
        </Stack>
      </Section>
    );
  }
  const busy = run.isPending;
  const { data: report, error } = trial;
  const sheetError = error ? fieldErrors(error).sheet : undefined;
  const changes = report ? changesOf(report) : 0;
  const ready = report !== undefined && report.problems.length === 0 && !trial.isFetching && changes > 0;
  return (
    <Section title={t('imports.new')}>
      <Stack gap="md">
        <Select
          label={t('imports.kind')}
          value={options.kind}
          data={kinds.map((value) => ({ value, label: t(`imports.kinds.${value}`) }))}
          allowDeselect={false}
          disabled={busy}
          maw={320}
          onChange={(value) => change({ kind: kinds.find((kind) => kind === value) ?? 'clients', map: {} })}
        />
        <FileField
          file={chosen?.file}
          disabled={busy}
          onChoose={(file) => {
            setChosen({ file, number: (chosen?.number ?? 0) + 1 });
            change({ map: {}, sheet: '' });
          }}
        />
        {error && !sheetError && (
          <ErrorState message={errorText(error)} onRetry={() => void trial.refetch()} />
        )}
        {trial.isLoading && <TrialSkeleton />}
        {chosen && report && (
          <ColumnMapping
            report={report}
            map={options.map}
            ignoreUnknown={options.ignoreUnknown}
            disabled={busy}
            onChange={(map) => change({ map })}
          />
        )}
        {chosen && (
          <ReadOptions
            key={chosen.number}
            options={options}
            hasSheets={isWorkbook(chosen.file)}
            sheetError={sheetError}
            disabled={busy}
            onChange={change}
          />
        )}
        {chosen && report && (
          <>
            <ImportOutcome report={report} stale={trial.isFetching} />
            <Group>
              <BusyButton
                busy={busy}
                disabled={!ready}
                label={t('imports.run', { count: changes, n: number(changes) })}
                busyLabel={t('imports.running')}
                onClick={() => run.mutate(chosen.file)}
              />
              <Text size="sm" c="dimmed">
                {t('imports.quiet')}
              </Text>
            </Group>
          </>
        )}
      </Stack>
    </Section>
  );
}

interface FileProps {
  file?: File;
  disabled: boolean;
  onChoose: (file: File) => void;
}

function FileField({ file, disabled, onChoose }: FileProps) {
  const { t } = useTranslation('admin');
  const open = useRef<() => void>(null);
  return (
    <Dropzone
      openRef={open}
      onDrop={([dropped]) => dropped && onChoose(dropped)}
      multiple={false}
      activateOnClick={false}
      disabled={disabled}
      inputProps={{ 'aria-label': t('imports.file') }}
    >
      <Group gap="sm">
        <IconFileSpreadsheet size={20} aria-hidden="true" />
        <Text size="sm">{file ? `${file.name}, ${bytes(file.size)}` : t('imports.drop')}</Text>
        <Button
          variant="default"
          disabled={disabled}
          style={{ pointerEvents: 'all' }}
          onClick={() => open.current?.()}
        >
          {file ? t('imports.choose_another') : t('imports.choose')}
        </Button>
      </Group>
    </Dropzone>
  );
}

/** In the shape of the mapping and the outcome. */
function TrialSkeleton() {
  const { t } = useTranslation('admin');
  return (
    <Stack gap="sm" role="status" aria-label={t('imports.trying')}>
      <Skeleton height={14} width="min(280px, 70%)" />
      {[1, 2, 3, 4].map((row) => (
        <Skeleton key={row} height={36} />
      ))}
      <Skeleton height={14} width="min(200px, 50%)" />
    </Stack>
  );
}
